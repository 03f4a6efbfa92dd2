//! The mail that one's turn is near: who gets it, when, and how often.

mod races;

use serde_json::json;
use sqlx::PgPool;
use stagedoor::entry_queue::tell_turns;
use uuid::Uuid;

use super::{crowded, join, join_at_once, queue_path_of};
use crate::support::{
    Answer, Concert, MailServer, Office, Person, count, email_of, eventually, read_all, read_one,
    read_one_with, run_sql, run_sql_with,
};

/// Address without a mail server.
const AWAY: &str = "smtp://127.0.0.1:9";
/// The button that asks for the mail, on the page.
const BUTTON: &str = "form[action$='/queue/notice'] button";

async fn open(db: &PgPool, count: usize, smtp_url: &str) -> Office {
    let settings = [
        ("SMTP_URL", smtp_url),
        ("MAIL_FROM", "tickets@office.example"),
        ("PUBLIC_URL", "http://tickets.localhost"),
    ];
    Office::open_with(db.clone(), count, &settings).await
}

fn notice_path(concert: &Concert) -> String {
    format!("{}/notice", queue_path_of(concert))
}

async fn ask(person: &Person, concert: &Concert) -> Answer {
    person.post(&notice_path(concert), &()).await
}

/// A queue with forty people in it, and `names` behind them, who ask for the mail.
async fn line(office: &Office, names: &[&str]) -> (Concert, Vec<Person>, Vec<Person>) {
    let concert = Concert::with(&office.db, crowded()).await;
    let others = office.crowd(40, "other").await;
    assert_eq!(count(&join_at_once(&others, &concert).await, 201, ""), others.len());
    let mut people = Vec::new();
    for name in names {
        let person = office.sign_in(name).await;
        assert_eq!(join(&person, &concert).await.status, 201);
        let asked = ask(&person, &concert).await;
        assert_eq!((asked.status, asked.json()), (201, json!({ "pending": true })));
        people.push(person);
    }
    (concert, others, people)
}

/// So many went through lately: a waiting person is near.
async fn measured(db: &PgPool, concert: &Concert, n_through: i64) {
    sqlx::query(
        "with made as (
             insert into accounts (id, email, name, password_hash)
             select gen_random_uuid(), gen_random_uuid() || '@example.com', 'Through', 'none'
             from generate_series(1, $2)
             returning id
         ), first as (
             update queue_numbers set next_number = next_number + $2
             where program_id = $1 returning next_number - $2 as number
         )
         insert into queue_tokens (id, program_id, account_id, queue_number, status, issued_at,
             admitted_at, stay_ends_at, expires_at, ended_at, let_in_by)
         select gen_random_uuid(), $1, id, number + row_number() over () - 1, 'COMPLETED',
             now() - interval '1 hour', now(), now(), now(), now(), id
         from made, first",
    )
    .bind(concert.program_id)
    .bind(n_through)
    .execute(db)
    .await
    .unwrap();
}

/// All of `others` leave but the last `n_left`.
async fn leave(others: &[Person], concert: &Concert, n_left: usize) {
    for person in &others[..others.len() - n_left] {
        assert_eq!(person.delete(&queue_path_of(concert)).await.status, 204);
    }
}

/// Returns to how many tokens a mail was written, and how many mails.
async fn told(db: &PgPool) -> (usize, usize) {
    let mut orders: Vec<String> =
        read_all(db, "select order_key from outbox where kind = 'queue-turn'").await;
    let n_mails = orders.len();
    orders.sort();
    orders.dedup();
    (orders.len(), n_mails)
}

#[sqlx::test]
async fn whoever_asks_is_mailed_once_when_few_are_ahead_and_led_back(db: PgPool) {
    let server = MailServer::start();
    let office = open(&db, 3, &server.url()).await;
    let (concert, others, _) = line(&office, &[]).await;
    let ada = office.sign_in("ada").await;
    run_sql_with(&db, "update accounts set locale = 'ko' where id = $1", ada.account_id).await;
    assert_eq!(join(&ada, &concert).await.status, 201);
    let path = queue_path_of(&concert);
    eventually("the button", async || {
        let page = ada.visit(&path).await;
        if page.has(BUTTON) { Ok(()) } else { Err(page.body) }
    })
    .await;
    let asked = ada.submit(&notice_path(&concert), &()).await;
    assert_eq!((asked.status, asked.location()), (303, path.as_str()));
    let page = ada.visit(&path).await;
    assert!(page.has("form[action$='/notice/withdrawal']") && !page.has(BUTTON), "{}", page.body);
    tell_turns(&office.app).await.unwrap();
    assert_eq!(told(&db).await, (0, 0), "many are ahead");

    leave(&others, &concert, 15).await;
    let mail = server.until_received(1).await[0].clone();
    assert_eq!(mail.recipients, [email_of(&db, ada.account_id).await]);
    assert_eq!(mail.header("Subject"), "A concert 입장 순서가 가까워졌어요");
    assert!(mail.text.contains(&format!("http://tickets.localhost{path}")), "{}", mail.text);
    assert!(mail.header("List-Unsubscribe").contains("/mails/unsubscription?token="));
    // A second wish is not a second mail.
    assert_eq!(ask(&ada, &concert).await.status, 201);
    tell_turns(&office.app).await.unwrap();
    assert_eq!(told(&db).await, (1, 1));
    let page = ada.visit(&path).await;
    assert!(!page.has(BUTTON) && !page.has("form[action$='/notice/withdrawal']"), "{}", page.body);
    office.close().await;
}

#[sqlx::test]
async fn a_turn_is_near_ten_minutes_before_it_at_the_speed_of_the_queue(db: PgPool) {
    let office = open(&db, 1, AWAY).await;
    let (concert, _, people) = line(&office, &["ada"]).await;
    // The first was let in long ago, and ten went through in five minutes: twenty-odd in ten.
    let long_ago = "update queue_tokens set issued_at = now() - interval '1 hour',
        admitted_at = now() - interval '30 minutes' where status = 'ACTIVE'";
    crate::entry_queue::free_the_past(&db).await;
    run_sql(&db, long_ago).await;
    measured(&db, &concert, 10).await;
    tell_turns(&office.app).await.unwrap();
    assert_eq!(told(&db).await, (0, 0), "the wait is a quarter of an hour");
    measured(&db, &concert, 20).await;
    let paused = "update programs set queue_paused_at = ";
    for (state, expected) in [("now()", (0, 0)), ("null", (1, 1))] {
        run_sql(&db, sqlx::AssertSqlSafe(format!("{paused}{state}"))).await;
        tell_turns(&office.app).await.unwrap();
        assert_eq!(told(&db).await, expected, "{state}");
    }
    assert_eq!(people.len(), 1);
    office.close_as_it_is().await;
}

#[sqlx::test]
async fn a_turn_that_comes_at_once_is_told_as_such_and_one_that_is_gone_is_not(db: PgPool) {
    let office = open(&db, 2, AWAY).await;
    let (concert, _, people) = line(&office, &["ada", "bob", "cas", "dan"]).await;
    let [ada, bob, cas, dan] = &people[..] else { panic!("four asked") };
    let admin = office.employ("admin", "ADMIN").await;
    let letter = async |person: &Person| {
        let newest = "select id from outbox where recipient = $1 order by position desc limit 1";
        let id: Uuid = read_one_with(&db, newest, email_of(&db, person.account_id).await).await;
        admin.get(&format!("/admin/mails/{id}")).await.json()
    };
    let path = format!("/admin/programs/{}/queue/admissions", concert.program_id);
    let form =
        [("who", email_of(&db, ada.account_id).await), ("reason", "a wheelchair".to_owned())];
    let let_in = admin.post(&path, &form).await;
    assert_eq!(let_in.status, 200, "{}", let_in.body);
    assert_eq!(told(&db).await, (1, 1), "in the transaction that lets in");
    assert_eq!(letter(ada).await["subject"], "It's your turn for A concert");
    let until: String = read_one_with(
        &db,
        "select to_char(stay_ends_at at time zone 'Asia/Seoul', 'HH24:MI') from queue_tokens
         where account_id = $1",
        ada.account_id,
    )
    .await;
    assert!(letter(ada).await["text"].as_str().unwrap().contains(&until));

    let parked = "update queue_tokens set parked_at = now() where account_id = $1";
    run_sql_with(&db, parked, bob.account_id).await;
    assert_eq!(cas.delete(&queue_path_of(&concert)).await.status, 204);
    measured(&db, &concert, 500).await;
    tell_turns(&office.app).await.unwrap();
    assert_eq!(told(&db).await, (3, 3), "not who left");
    assert_eq!(letter(bob).await["subject"], "It's your turn for A concert");
    assert!(letter(bob).await["text"].as_str().unwrap().contains("while you were away"));
    assert_eq!(letter(dan).await["subject"], "Your turn for A concert is near");
    let pending: i64 =
        read_one(&db, "select count(*) from turn_notices where ended_at is null").await;
    assert_eq!(pending, 0);
    // Before the mail is sent the turn comes, and then is over.
    let inside = "update queue_tokens set status = 'ACTIVE', admitted_at = now(), let_in_by = $1,
        stay_ends_at = now() + interval '1 minute', expires_at = now() + interval '1 minute'
        where account_id = $1";
    run_sql_with(&db, inside, dan.account_id).await;
    assert_eq!(letter(dan).await["subject"], "It's your turn for A concert");
    assert_eq!(dan.delete(&queue_path_of(&concert)).await.status, 204);
    assert!(letter(dan).await["subject"].is_null());
    office.close_as_it_is().await;
}

#[sqlx::test]
async fn nobody_is_told_who_declined_since_and_asking_again_turns_it_on(db: PgPool) {
    let office = open(&db, 1, AWAY).await;
    let (concert, _, people) = line(&office, &["ada", "bob"]).await;
    let (ada, bob) = (&people[0], &people[1]);
    for person in &people {
        assert_eq!(person.post("/account/mails", &[("transfers", "on")]).await.status, 200);
    }
    assert!(!ada.visit(&queue_path_of(&concert)).await.has("form[action$='/withdrawal']"));
    assert_eq!(ask(bob, &concert).await.status, 201);
    assert_eq!(bob.get("/account").await.json()["mails"]["turn"], true);
    measured(&db, &concert, 500).await;
    tell_turns(&office.app).await.unwrap();
    assert_eq!(told(&db).await, (1, 1));
    let data = bob.get("/account/data.json").await.json();
    assert!(data["queue_tokens"]["rows"][0]["turn_notice"]["ended_at"].is_string(), "{data}");
    office.close().await;
}

#[sqlx::test]
async fn no_notice_is_offered_where_no_mail_is_sent_or_nobody_waits(db: PgPool) {
    let office = Office::open(db.clone()).await;
    let concert = Concert::with(&db, crowded()).await;
    let (ada, bob) = (office.sign_in("ada").await, office.sign_in("bob").await);
    assert_eq!((join(&ada, &concert).await.status, join(&bob, &concert).await.status), (201, 201));
    assert!(!bob.visit(&queue_path_of(&concert)).await.has(BUTTON));
    assert_eq!(ask(&bob, &concert).await.code(), "not-found");
    office.close().await;

    let office = open(&db, 1, AWAY).await;
    let (ada, bob) = (office.log_in(&ada, 0).await, office.log_in(&bob, 0).await);
    assert!(!bob.visit(&queue_path_of(&concert)).await.has(BUTTON), "the turn is near");
    assert_eq!(ask(&ada, &concert).await.code(), "no-token", "inside");
    assert_eq!(ask(&office.sign_in("eve").await, &concert).await.code(), "no-token");
    office.close().await;
}
