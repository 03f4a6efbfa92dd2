//! Reminders of performances that are near, and tickets that are mailed once more.

use futures_util::future::join_all;
use serde_json::{Value, json};
use sqlx::PgPool;
use stagedoor::admin;
use uuid::Uuid;

use super::told_moves::{Show, cancel, entries_of, says};
use crate::support::{
    Hold, MailServer, Person, Purchase, Received, acts, eventually, read_all, read_one, run_sql,
};

const REMINDED: &str =
    "select left(recipient, 3) from outbox where kind = 'reminder' order by position";
const AGAIN: &str =
    "select left(recipient, 3) from outbox where kind = 'tickets-again' order by position";

impl Show {
    async fn begin_in(&self, interval: &str) {
        let statement = format!(
            "update schedules set starts_at = date_trunc('minute', now()) + interval '{interval}'"
        );
        sqlx::query(sqlx::AssertSqlSafe(statement)).execute(&self.office.db).await.unwrap();
    }

    /// Has the workers go round twice; returns who is reminded.
    async fn reminded(&self) -> Vec<String> {
        for _ in 0..2 {
            admin::write_letters(&self.office.app.db).await.unwrap();
        }
        read_all(&self.office.db, REMINDED).await
    }

    async fn set_hours(&self, hours: &str) -> u16 {
        let path = format!("/admin/programs/{}/letters/reminder", self.concert.program_id);
        self.admin.post(&path, &[("hours_before", hours)]).await.status
    }

    /// The newest mail that is written, as staff see it.
    async fn shown_mail(&self) -> String {
        let newest = "select id from outbox order by position desc limit 1";
        let id: Uuid = read_one(&self.office.db, newest).await;
        self.admin.visit(&format!("/admin/mails/{id}")).await.body
    }

    async fn log_in(&self, name: &str) -> Person {
        let id = "select id from accounts where email like $1 || '%'";
        let id: Uuid = sqlx::query_scalar(id).bind(name).fetch_one(&self.office.db).await.unwrap();
        self.office.log_in(&self.office.person(id, 0), 0).await
    }

    async fn list_letters(&self) -> Value {
        let path = format!("/admin/programs/{}/letters", self.concert.program_id);
        self.admin.get(&path).await.json()
    }
}

async fn of_kind(server: &MailServer, subject: &str, n_min: usize) -> Vec<Received> {
    eventually(subject, async || {
        let mut mails = server.received();
        mails.retain(|mail| mail.header("Subject").starts_with(subject));
        if mails.len() < n_min { Err(mails.len()) } else { Ok(mails) }
    })
    .await
}

fn is_to(mail: &Received, name: &str) -> bool {
    mail.header("To").trim_start_matches('<').starts_with(name)
}

#[sqlx::test]
async fn holders_are_reminded_once_of_each_start_with_the_own_seats_and_when_doors_open(
    db: PgPool,
) {
    let server = MailServer::start();
    let show = Show::open_mailing(&db, &server).await;
    show.fill().await;
    run_sql(&db, "update venues set address = 'Han river 1'").await;
    run_sql(&db, "update programs set doors_before_mins = 60").await;
    let dora = show.office.sign_in("dora").await;
    let standing = Hold { places: 3, ..Hold::default() };
    Purchase::make(&db, &show.concert, &dora, standing).await;
    assert!(show.reminded().await.is_empty(), "the performance is years away");
    show.begin_in("20 hours").await;
    // Ada has one of her two tickets and bob the other, cleo only holds a seat, and gone has left.
    assert_eq!(show.reminded().await, ["ada", "bob", "dor"]);

    let opens: String = read_one(&db, "select to_char((starts_at - interval '1 hour') at time zone 'Asia/Seoul', 'HH24:MI') from schedules").await;
    let mails = of_kind(&server, "Soon", 3).await;
    for mail in &mails {
        says(mail, &["Doors open", &format!("{opens} KST"), "Han river 1", "A hall"]);
        assert_eq!(mail.all("List-Unsubscribe").len(), 1, "{}", mail.raw);
        if is_to(mail, "dor") {
            says(mail, &["× 3"]);
        }
        let [first, second] = ["seat 1", "seat 2"].map(|seat| mail.text.contains(seat));
        assert_eq!((first, second), (is_to(mail, "bob"), is_to(mail, "ada")), "{}", mail.text);
    }
    let letters = show.list_letters().await;
    let letter = format!("/admin/letters/{}", letters["letters"][0]["id"].as_str().unwrap());
    let document = eventually("all delivered", async || {
        let document = show.admin.get(&letter).await.json();
        if document["delivery"]["n_sent"] == 3 { Ok(document) } else { Err(document) }
    })
    .await;
    assert_eq!(document["delivery"], json!({ "n_sent": 3, "n_waiting": 0, "n_failed": 0 }));
    assert_eq!(document["letter"]["status"], "WRITTEN", "{document}");
    let page = show.admin.visit(&letter).await;
    assert!(page.body.contains("Reminder") && !page.has("form[action$='/test']"), "{}", page.body);
    assert_eq!(show.admin.post(&format!("{letter}/test"), &()).await.code(), "letter-settled");

    show.begin_in("21 hours").await;
    let twice = ["ada", "bob", "dor", "ada", "bob", "dor"];
    assert_eq!(show.reminded().await, twice, "another start, told anew");
    assert_eq!(of_kind(&server, "Soon", 6).await.len(), 6);
    show.office.close_as_it_is().await;
}

#[sqlx::test]
async fn a_reminder_is_written_when_staff_say_and_to_nobody_who_declined_it(db: PgPool) {
    let show = Show::open(&db, &[]).await;
    show.fill().await;
    assert_eq!(show.list_letters().await["hours_before"], 24);
    for (hours, status) in [("1", 422), ("169", 422), ("soon", 422), ("-3", 422), ("48", 200)] {
        assert_eq!(show.set_hours(hours).await, status, "{hours}");
    }
    assert_eq!(show.list_letters().await["hours_before"], 48);
    show.begin_in("50 hours").await;
    assert!(show.reminded().await.is_empty(), "two hours too early");
    assert_eq!(show.set_hours("").await, 200);
    show.begin_in("20 hours").await;
    assert!(show.reminded().await.is_empty(), "staff want none");
    assert_eq!(show.list_letters().await["hours_before"], Value::Null);

    // The office's own workers look too, between any two of these lines.
    show.begin_in("50 minutes").await;
    assert_eq!(show.set_hours("24").await, 200);
    assert!(show.reminded().await.is_empty(), "people are on their way");
    run_sql(&db, "update accounts set mails_letters = false where email like 'ada%'").await;
    show.begin_in("20 hours").await;
    assert_eq!(show.reminded().await, ["bob"]);
    assert!(acts(&db).await.contains(&"reminder-set".to_owned()));
    run_sql(
        &db,
        "update schedules set cancelled_at = now(), starts_at = starts_at - interval '1 hour'",
    )
    .await;
    assert_eq!(show.reminded().await, ["bob"], "nothing is shown any more");
    show.office.close_as_it_is().await;
}

#[sqlx::test]
async fn workers_at_once_release_one_reminder_of_a_start(db: PgPool) {
    let show = Show::open(&db, &[]).await;
    show.fill().await;
    show.begin_in("20 hours").await;
    let workers = (0..12).map(|_| {
        let pool = show.office.app.db.clone();
        async move { admin::write_letters(&pool).await }
    });
    for done in join_all(workers).await {
        done.unwrap();
    }
    assert_eq!(read_one::<i64>(&db, "select count(*) from office_letters").await, 1);
    let mut reminded = show.reminded().await;
    reminded.sort();
    assert_eq!(reminded, ["ada", "bob"]);
    show.office.close_as_it_is().await;
}

#[sqlx::test]
async fn a_reminder_that_comes_too_late_is_not_sent(db: PgPool) {
    let show = Show::open(&db, &[]).await;
    let ada = show.office.sign_in("ada").await;
    let bought = show.buy(&ada, 0).await;
    show.begin_in("20 hours").await;
    assert_eq!(show.reminded().await, ["ada"]);
    assert_eq!(show.set_hours("").await, 200);
    let is_gone = async || show.shown_mail().await.contains("does not exist any more");
    assert!(!is_gone().await);
    for (spoil, mend) in [
        (
            "update schedules set starts_at = starts_at + interval '1 hour'",
            "update schedules set starts_at = starts_at - interval '1 hour'",
        ),
        (
            "update tickets set status = 'USED', used_at = now()",
            "update tickets set status = 'VALID', used_at = null",
        ),
        (
            "update office_letters set status = 'STOPPED'",
            "update office_letters set status = 'WRITTEN'",
        ),
    ] {
        run_sql(&db, spoil).await;
        assert!(is_gone().await, "{spoil}");
        run_sql(&db, mend).await;
        assert!(!is_gone().await, "{mend}");
    }
    assert_eq!(cancel(&ada, bought.reservation_id).await.status, 200);
    run_sql(&db, "delete from outbox where kind <> 'reminder'").await;
    assert!(is_gone().await, "a ticket that was given back");
    run_sql(&db, "update tickets set status = 'VALID'").await;
    assert!(!is_gone().await);
    run_sql(&db, "update schedules set cancelled_at = now()").await;
    assert!(is_gone().await, "a performance that is cancelled");
    show.office.close_as_it_is().await;
}

async fn ask(person: &Person, bought: &Purchase, nth: usize) -> (u16, String) {
    let answer = person.post(&format!("/tickets/{}/mail", bought.codes[nth]), &()).await;
    (answer.status, answer.code())
}

#[sqlx::test]
async fn tickets_are_mailed_once_more_to_their_holder_by_the_own_wish_or_by_staff(db: PgPool) {
    let server = MailServer::start();
    let show = Show::open_mailing(&db, &server).await;
    let second = show.fill().await;
    let [owner, receiver] = [show.log_in("ada").await, show.log_in("bob").await];
    let page = owner.visit(&format!("/tickets/{}", second.codes[0])).await;
    assert!(page.has("form[action$='/mail'] button"), "{}", page.body);
    assert_eq!(ask(&owner, &second, 0).await.0, 202);
    assert_eq!(ask(&owner, &second, 0).await, (409, "tickets-mailed-lately".to_owned()));
    assert_eq!(ask(&receiver, &second, 0).await.0, 404, "another person's ticket");
    assert_eq!(read_all::<String>(&db, AGAIN).await, ["ada"], "once in ten minutes");
    let mail = of_kind(&server, "Once more", 1).await.remove(0);
    says(&mail, &["seat 2"]);
    assert!(!mail.text.contains("Doors open"), "nobody said when: {}", mail.text);
    assert!(!mail.text.contains("seat 1"), "bob has it: {}", mail.text);
    let names: Vec<&str> = mail.files.iter().map(|file| file.name.as_str()).collect();
    assert_eq!(names, ["tickets.pdf", "event.ics"]);
    assert!(entries_of(&mail).contains(&format!("UID:{}@stagedoor", second.reservation_id)));

    run_sql(&db, "delete from outbox").await;
    let first: Uuid = read_one(
        &db,
        "select id from reservations where status = 'CONFIRMED' order by created_at limit 1",
    )
    .await;
    let path = format!("/admin/reservations/{first}/mail");
    let mailed = show.admin.post(&path, &()).await;
    assert_eq!((mailed.status, &mailed.json()["n_accounts"]), (202, &json!(1)), "{}", mailed.body);
    assert_eq!(read_all::<String>(&db, AGAIN).await, ["bob"], "who has the ticket, not who paid");
    assert!(acts(&db).await.contains(&"tickets-mailed".to_owned()));
    assert_eq!(owner.post(&path, &()).await.status, 403, "for staff alone");

    run_sql(&db, "update tickets set status = 'USED', used_at = now()").await;
    assert_eq!(ask(&owner, &second, 0).await, (409, "no-valid-tickets".to_owned()));
    assert_eq!(show.admin.post(&path, &()).await.code(), "no-valid-tickets");
    show.office.close_as_it_is().await;
}
