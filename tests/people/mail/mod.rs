//! Mails: what people read, sent through a real mail server.

mod admin;
mod attachments;
mod choices;
mod delivery;
mod every_kind;
mod offers;
mod shares;

use serde_json::json;
use sqlx::PgPool;
use uuid::Uuid;

use crate::support::{
    Concert, Hold, MailServer, Office, Person, Purchase, email_of, read_all, read_one, run_sql,
    run_sql_with,
};

/// Sender of mails.
const FROM: &str = "Stagedoor <tickets@office.example>";

/// Opens `count` instances that send their mails to `url`.
async fn office_with(db: &PgPool, count: usize, url: &str) -> Office {
    let settings =
        [("SMTP_URL", url), ("MAIL_FROM", FROM), ("PUBLIC_URL", "http://tickets.localhost")];
    Office::open_with(db.clone(), count, &settings).await
}

/// Buys the seat `nth` of `concert`.
async fn buy(db: &PgPool, concert: &Concert, person: &Person, nth: usize) -> Purchase {
    let seat_ids = &concert.seat_ids[nth..=nth];
    Purchase::make(db, concert, person, Hold { seat_ids, ..Hold::default() }).await
}

/// Offers points; returns the path of the request.
async fn offer(db: &PgPool, from: &Person, to: &Person, amount: i64) -> String {
    let form = json!({ "to": email_of(db, to.account_id).await, "amount": amount });
    let answer = from.post_json("/wallet/transfers", &form).await;
    assert_eq!(answer.status, 201, "{}", answer.body);
    format!("/wallet/transfers/{}", answer.json()["transfer_id"].as_str().unwrap())
}

/// Returns the kinds of all mails, in the order of writing.
async fn kinds(db: &PgPool) -> Vec<String> {
    read_all(db, "select kind from outbox order by position").await
}

/// Makes every mail that was put off due now; one that an instance has claimed, for some minutes,
/// is left alone.
async fn hurry(db: &PgPool) {
    run_sql(
        db,
        "update outbox set next_attempt_at = now()
         where sent_at is null and next_attempt_at < now() + interval '3 minutes'",
    )
    .await;
}

/// Returns how many mails are sent, waiting and given up.
async fn counts(db: &PgPool) -> (i64, i64, i64) {
    sqlx::query_as(
        "select count(sent_at), count(*) - count(sent_at) - count(failed_at), count(failed_at)
         from outbox",
    )
    .fetch_one(db)
    .await
    .unwrap()
}

#[sqlx::test]
async fn a_purchase_is_told_in_the_buyers_language(db: PgPool) {
    let server = MailServer::start();
    let office = office_with(&db, 2, &server.url()).await;
    let (concert, person) = (Concert::usual(&db).await, office.sign_in("minseo").await);
    run_sql_with(
        &db,
        "update accounts set locale = 'ko', name = '김민서' where id = $1",
        person.account_id,
    )
    .await;
    run_sql(&db, "update programs set title = '겨울밤의 소나타'").await;
    run_sql(&db, "update venues set time_zone = 'Asia/Seoul'").await;
    run_sql(&db, "update schedules set starts_at = '2031-05-02T10:30:00Z'").await;
    buy(&db, &concert, &person, 0).await;

    let mails = server.until_received(1).await;
    let mail = &mails[0];
    assert_eq!(mail.recipients, [email_of(&db, person.account_id).await]);
    assert_eq!(mail.sender, "tickets@office.example");
    assert_eq!(mail.header("From"), FROM);
    assert_eq!(mail.header("Subject"), "겨울밤의 소나타 예매가 완료됐어요");
    assert_eq!(mail.header("Auto-Submitted"), "auto-generated");
    let id: Uuid = read_one(&db, "select id from outbox").await;
    assert_eq!(mail.header("Message-ID"), format!("<{id}@office.example>"));
    assert!(mail.header("Content-Type").starts_with("multipart/mixed"));
    assert!(mail.raw.is_ascii(), "{}", mail.raw);
    for part in [&mail.text, &mail.html] {
        for word in
            ["김민서", "겨울밤의 소나타", "2031년 5월 2일 (금) 19:30", "50,000포인트", "1번"]
        {
            assert!(part.contains(word), "{word}: {part}");
        }
        assert!(part.contains("http://tickets.localhost/tickets"), "{part}");
    }
    assert!(mail.html.contains("<html lang=\"ko\">") && mail.html.contains("color-scheme"));
    for loaded in ["<img", "<script", "<link", "src="] {
        assert!(!mail.html.contains(loaded), "{loaded}: {}", mail.html);
    }
    office.close().await;
}

#[sqlx::test]
async fn what_a_person_typed_adds_no_header_and_no_markup(db: PgPool) {
    let server = MailServer::start();
    let office = office_with(&db, 1, &server.url()).await;
    let (concert, person) = (Concert::usual(&db).await, office.sign_in("eve").await);
    run_sql(
        &db,
        "update programs set title = E'Night\\r\\nBcc: all@example.com\\r\\n\\r\\n<b>Hi</b>'",
    )
    .await;
    run_sql_with(
        &db,
        "update accounts set name = E'Eve\\r\\nX-Evil: <i>1</i>' where id = $1",
        person.account_id,
    )
    .await;
    buy(&db, &concert, &person, 0).await;

    let mails = server.until_received(1).await;
    let mail = &mails[0];
    assert_eq!(mail.header("Subject"), "Your tickets for Night Bcc: all@example.com <b>Hi</b>");
    assert!(mail.all("Bcc").is_empty() && mail.all("X-Evil").is_empty(), "{}", mail.raw);
    assert_eq!(mail.recipients.len(), 1);
    assert!(!mail.html.contains("<b>") && !mail.html.contains("<i>"), "{}", mail.html);
    office.close().await;
}

#[sqlx::test]
async fn an_address_that_cannot_be_written_to_is_given_up_at_once(db: PgPool) {
    let server = MailServer::start();
    let office = office_with(&db, 1, &server.url()).await;
    let (concert, person) = (Concert::usual(&db).await, office.sign_in("odd").await);
    let odd = "update accounts set email = 'a>\r\nrcpt to:<b@example.com' where id = $1";
    run_sql_with(&db, odd, person.account_id).await;
    buy(&db, &concert, &person, 0).await;
    crate::support::until("the end of the mail", async || counts(&db).await == (0, 0, 1)).await;
    assert!(server.received().is_empty());
    office.close().await;
}
