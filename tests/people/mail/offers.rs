//! Mails about points that one person offers to another, and about a cancelled program.

use sqlx::PgPool;

use super::{buy, kinds, offer, office_with};
use crate::support::{
    Concert, MailServer, Office, email_of, eventually, read_one, run_sql, run_sql_with,
};

#[sqlx::test]
async fn an_offer_is_told_to_its_receiver_and_the_answer_to_its_sender(db: PgPool) {
    let server = MailServer::start();
    let office = office_with(&db, 2, &server.url()).await;
    let (ada, bob) = (office.sign_in("ada").await, office.sign_in("bob").await);
    let evil = "update accounts set name = E'Ada\\r\\nBcc: all@example.com <b>' where id = $1";
    run_sql_with(&db, evil, ada.account_id).await;
    run_sql_with(&db, "update accounts set locale = 'ko' where id = $1", bob.account_id).await;
    ada.post("/wallet/charges", &[("amount", 1_000)]).await;
    let path = offer(&db, &ada, &bob, 600).await;
    let told = server.until_received(1).await[0].clone();
    assert_eq!(told.recipients, [email_of(&db, bob.account_id).await]);
    assert_eq!(told.header("Subject"), "받을 포인트가 있어요");
    assert!(told.all("Bcc").is_empty() && !told.html.contains("<b>"), "{}", told.raw);
    let until: String = read_one(
        &db,
        "select to_char(expires_at at time zone 'Asia/Seoul', 'HH24:MI') from transfers",
    )
    .await;
    let link = format!("http://tickets.localhost{path}");
    for word in ["Ada Bcc: all@example.com", "600포인트", &until, &link] {
        assert!(told.text.contains(word), "{word}: {}", told.text);
    }

    assert_eq!(bob.post(&format!("{path}/acceptance"), &()).await.status, 200);
    let told = server.until_received(2).await[1].clone();
    assert_eq!(told.recipients, [email_of(&db, ada.account_id).await]);
    assert_eq!(told.header("Subject"), "Your points were accepted");
    assert!(told.text.contains("600 points") && told.text.contains("bob"), "{}", told.text);
    office.close().await;
}

#[sqlx::test]
async fn nobody_is_told_of_what_they_did_themselves(db: PgPool) {
    let office = Office::open(db.clone()).await;
    let (ada, bob) = (office.sign_in("ada").await, office.sign_in("bob").await);
    ada.post("/wallet/charges", &[("amount", 1_000)]).await;
    let path = offer(&db, &ada, &bob, 100).await;
    assert_eq!(ada.post(&format!("{path}/cancellation"), &()).await.status, 200);
    assert_eq!(kinds(&db).await, ["transfer-received"]);
    let path = offer(&db, &ada, &bob, 100).await;
    assert_eq!(bob.post(&format!("{path}/rejection"), &()).await.status, 200);
    offer(&db, &ada, &bob, 100).await;
    run_sql(&db, "update transfers set expires_at = now() where status = 'PENDING'").await;
    let subjects = eventually("the end of both", async || {
        let told = kinds(&db).await;
        if told.iter().filter(|kind| *kind == "transfer-settled").count() < 2 {
            return Err(told);
        }
        let admin = office.employ("admin", "ADMIN").await;
        let list = admin.get("/admin/mails").await.json();
        let ids = list["mails"].as_array().unwrap().clone();
        let mut subjects = Vec::new();
        for mail in ids.iter().filter(|mail| mail["kind"] == "transfer-settled") {
            assert_eq!(mail["to"], email_of(&db, ada.account_id).await);
            let path = format!("/admin/mails/{}", mail["id"].as_str().unwrap());
            subjects.push(admin.get(&path).await.json()["subject"].clone());
        }
        Ok(subjects)
    })
    .await;
    assert_eq!(subjects, ["Your points were not accepted in time", "Your points were declined"]);
    office.close().await;
}

#[sqlx::test]
async fn a_receiver_is_reminded_once_while_the_offer_is_open(db: PgPool) {
    let server = MailServer::start();
    let office = office_with(&db, 3, &server.url()).await;
    let (ada, bob) = (office.sign_in("ada").await, office.sign_in("bob").await);
    ada.post("/wallet/charges", &[("amount", 1_000)]).await;
    let (open, answered) = (offer(&db, &ada, &bob, 100).await, offer(&db, &ada, &bob, 200).await);
    assert_eq!(bob.post(&format!("{answered}/acceptance"), &()).await.status, 200);
    server.until_received(3).await;
    // Two days later.
    run_sql(&db, "update transfers set expires_at = expires_at - interval '2 days'").await;
    run_sql(&db, "update transfer_reminders set due_at = due_at - interval '2 days'").await;
    let told = server.until_received(4).await[3].clone();
    assert_eq!(told.recipients, [email_of(&db, bob.account_id).await]);
    assert_eq!(told.header("Subject"), "Points are still waiting for you");
    assert!(told.text.contains(&open) && told.text.contains("100 points"), "{}", told.text);
    // The mail about its end comes after whatever a second reminder would be.
    run_sql(&db, "update transfers set expires_at = now() where status = 'PENDING'").await;
    server.until_received(5).await;
    let kinds = kinds(&db).await;
    assert_eq!(kinds.iter().filter(|kind| *kind == "transfer-expiring").count(), 1, "{kinds:?}");
    office.close().await;
}

#[sqlx::test]
async fn offers_without_end_fill_nobodys_mailbox(db: PgPool) {
    const TOLD_AN_HOUR_MAX: usize = 20;
    let office = Office::open(db.clone()).await;
    let (ada, bob) = (office.sign_in("ada").await, office.sign_in("bob").await);
    ada.post("/wallet/charges", &[("amount", 1_000)]).await;
    for _ in 0..TOLD_AN_HOUR_MAX + 5 {
        let path = offer(&db, &ada, &bob, 10).await;
        assert_eq!(ada.post(&format!("{path}/cancellation"), &()).await.status, 200);
    }
    assert_eq!(kinds(&db).await.len(), TOLD_AN_HOUR_MAX);
    office.close().await;
}

#[sqlx::test]
async fn a_cancelled_program_is_told_as_such_to_whoever_paid_and_only_once(db: PgPool) {
    const BUYERS: usize = 6;
    let server = MailServer::start();
    let office = office_with(&db, 2, &server.url()).await;
    let concert = Concert::usual(&db).await;
    let admin = office.employ("admin", "ADMIN").await;
    let people = office.crowd(BUYERS, "buyer").await;
    for (nth, person) in people.iter().enumerate() {
        buy(&db, &concert, person, nth).await;
    }
    server.until_received(BUYERS).await;
    let path = format!("/admin/programs/{}/cancellation", concert.program_id);
    let form = [("version", "0"), ("reason", "the singer is ill")];
    assert_eq!(admin.submit(&path, &form).await.status, 303);
    let mails = server.until_received(2 * BUYERS).await;
    for mail in &mails[BUYERS..] {
        assert_eq!(mail.header("Subject"), "A concert is cancelled");
        for word in ["The organiser cancelled", "50,000 points", "nothing you need to do"] {
            assert!(mail.text.contains(word), "{word}: {}", mail.text);
        }
        assert!(!mail.text.contains("singer"), "{}", mail.text);
        let files: Vec<&str> = mail.files.iter().map(|file| file.name.as_str()).collect();
        assert_eq!(files, ["event.ics"], "calendars take it out");
        let entry = String::from_utf8(mail.files[0].bytes()).unwrap();
        assert!(entry.contains("STATUS:CANCELLED"), "{entry}");
    }
    let told: i64 =
        read_one(&db, "select count(*) from outbox where kind = 'program-cancelled'").await;
    assert_eq!(usize::try_from(told).unwrap(), BUYERS);
    office.close().await;
}
