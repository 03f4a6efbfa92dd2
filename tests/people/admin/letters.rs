//! Letters of the office to the people who hold tickets: who gets them, once, and who does not.

use serde_json::{Value, json};
use sqlx::PgPool;
use stagedoor::admin;
use uuid::Uuid;

use super::told_moves::{Show, cancel, says};
use crate::support::{
    Answer, Hold, MailServer, Person, Purchase, acts, eventually, read_all, read_one, run_sql,
    run_sql_with, storm, until,
};

const TOLD: &str = "select left(recipient, 3) from outbox where kind = 'office-letter'
    and dedupe_key like 'office-letter:%' order by 1";

async fn told(db: &PgPool) -> Vec<String> {
    read_all(db, TOLD).await
}

impl Show {
    fn letters_path(&self) -> String {
        format!("/admin/programs/{}/letters", self.concert.program_id)
    }

    async fn try_draft(&self, form: &Value) -> Answer {
        self.admin.post_json(&self.letters_path(), form).await
    }

    /// Drafts a letter with these fields beside its words, and returns its path.
    async fn draft(&self, other: &Value) -> String {
        let mut form = json!({ "subject_en": "Where to enter", "words_en": "By the north door." });
        for (name, value) in other.as_object().unwrap() {
            form[name] = value.clone();
        }
        let drafted = self.try_draft(&form).await;
        assert_eq!(drafted.status, 201, "{}", drafted.body);
        format!("/admin/letters/{}", drafted.json()["id"].as_str().unwrap())
    }

    /// Adds an order with `n` tickets to the one that there is, each of which an account of its own has.
    pub(super) async fn give_to_guests(&self, n: i32) {
        run_sql_with(&self.office.db, "insert into accounts (id, email, name, password_hash)
            select gen_random_uuid(), 'guest' || n || '@example.com', 'Guest', 'x' from generate_series(1, $1) n", n).await;
        let tickets = "with made as (
                insert into reservation_items
                    (id, reservation_id, schedule_id, zone_id, quantity, unit_price)
                select gen_random_uuid(), r.id, r.schedule_id, z.id, $1, 0
                from reservations r join zones z on z.schedule_id = r.schedule_id limit 1
                returning id
            )
            insert into tickets (id, reservation_item_id, number, item_quantity, account_id, code)
            select gen_random_uuid(), made.id, row_number() over (), $1, a.id, 'CODE' || a.id
            from made, accounts a where a.email like 'guest%'";
        run_sql_with(&self.office.db, tickets, n).await;
        run_sql(&self.office.db, "delete from outbox").await;
    }

    async fn act(&self, path: &str, what: &str) -> Answer {
        self.admin.post(&format!("{path}/{what}"), &()).await
    }

    async fn write_all(&self) {
        admin::write_letters(&self.office.app.db).await.unwrap();
    }
}

async fn audience(show: &Show, path: &str) -> i64 {
    show.admin.get(path).await.json()["n_audience"].as_i64().unwrap()
}

#[sqlx::test]
async fn a_letter_is_seen_and_tried_before_it_goes_to_each_holder_once_in_the_own_language(
    db: PgPool,
) {
    let server = MailServer::start();
    let show = Show::open_mailing(&db, &server).await;
    show.fill().await;
    run_sql(&db, "update accounts set mail_locale = 'ko' where email like 'bob%'").await;
    let words = "The lift is out of order.\r\n\r\n<b>Please</b> come by the north door.";
    let form = json!({
        "subject_en": "Where to enter", "words_en": words,
        "subject_ko": "입장 안내", "words_ko": "북문으로 오세요.",
    });
    let path = show.draft(&form).await;
    let page = show.admin.visit(&path).await;
    for word in ["Where to enter", "The lift is out of order.", "입장 안내", "Send to 3 people"]
    {
        assert!(page.body.contains(word), "{word}: {}", page.body);
    }
    assert!(!page.body.contains("<b>Please"), "{}", page.body);
    assert!(page.has("nav [href='/admin/programs'][aria-current]"), "{}", page.body);
    assert_eq!(show.act(&path, "test").await.status, 200);
    show.write_all().await;
    assert_eq!(told(&db).await.len(), 0, "a draft is written to nobody");

    let released = show.act(&path, "release").await;
    assert_eq!(released.status, 200, "{}", released.body);
    show.write_all().await;
    show.write_all().await;
    // Ada holds one ticket and paid for two, bob was given hers, and gone has left.
    assert_eq!(told(&db).await, ["ada", "bob"]);
    let mails = eventually("the letters and the test", async || {
        let mails = server.received();
        if mails.len() < 3 { Err(mails.len()) } else { Ok(mails) }
    })
    .await;
    for mail in &mails {
        let subject = mail.header("Subject");
        match mail.header("To").trim_start_matches('<').get(..3) {
            Some("bob") => says(mail, &["북문으로 오세요."]),
            Some("ada") => {
                assert_eq!(subject, "Where to enter");
                says(mail, &["The lift is out of order.", "2 May 2031", "A hall"]);
                assert!(!mail.html.contains("<b>Please"), "{}", mail.raw);
                assert_eq!(mail.all("List-Unsubscribe").len(), 1, "{}", mail.raw);
            }
            _ => assert_eq!(subject, "Test: Where to enter"),
        }
    }
    let again = show.act(&path, "release").await;
    assert_eq!((again.status, &*again.code()), (409, "letter-settled"), "{}", again.body);
    let document = show.admin.get(&path).await.json();
    assert_eq!(document["letter"]["status"], "WRITTEN", "{document}");
    assert_eq!(document["letter"]["n_accounts"], 3, "{document}");
    let listed = show.admin.visit(&show.letters_path()).await;
    assert!(listed.body.contains("Where to enter") && listed.body.contains("Sent"));
    for act in ["letter-drafted", "letter-tested", "letter-released"] {
        assert!(acts(&db).await.contains(&act.to_owned()), "{act}");
    }
    show.office.close_as_it_is().await;
}

#[sqlx::test]
async fn a_letter_is_for_a_performance_a_section_a_type_or_those_who_have_not_come(db: PgPool) {
    let show = Show::open(&db, &[]).await;
    let (ada, bob, cleo) = (
        show.office.sign_in("ada").await,
        show.office.sign_in("bob").await,
        show.office.sign_in("cleo").await,
    );
    let bought = show.buy(&ada, 0).await;
    let refunded = show.buy(&bob, 1).await;
    cancel(&bob, refunded.reservation_id).await;
    let standing = Hold { places: 1, ..Hold::default() };
    Purchase::make(&db, &show.concert, &cleo, standing).await;
    let other = show.concert.another_date(&db, 1).await;
    let count = async |form: Value| audience(&show, &show.draft(&form).await).await;
    let tonight = show.concert.schedule_id.to_string();
    assert_eq!(count(json!({})).await, 2, "nobody who has given the ticket back");
    assert_eq!(count(json!({ "schedule_id": other.schedule_id })).await, 0);
    assert_eq!(count(json!({ "schedule_id": tonight, "section": "Stalls" })).await, 1);
    assert_eq!(count(json!({ "section": "Standing" })).await, 1);
    // The zone that the name meant, whatever it is called by then.
    let path = show.draft(&json!({ "section": "Standing" })).await;
    run_sql(&db, "update zones set name = 'The pit'").await;
    assert_eq!(audience(&show, &path).await, 1);
    let scanned = "update tickets set status = 'USED', used_at = now() where code = $1";
    sqlx::query(scanned).bind(&bought.codes[0]).execute(&db).await.unwrap();
    assert_eq!(count(json!({})).await, 2);
    assert_eq!(count(json!({ "absent": true })).await, 1, "cleo has not come");
    // Of a party that has come one is late: its letters would be read in the hall.
    show.buy(&ada, 2).await;
    assert_eq!(count(json!({ "absent": true })).await, 1);

    for (form, field) in [
        (json!({ "section": "Gods" }), "section"),
        (json!({ "price_type": "Child" }), "price_type"),
        (json!({ "schedule_id": Uuid::now_v7() }), "schedule_id"),
        (json!({ "words_en": "" }), "words_en"),
        (json!({ "words_en": "x".repeat(65_536) }), "words_en"),
        (json!({ "subject_en": "Hi\nBcc: all@example.com" }), "subject_en"),
        (json!({ "subject_ja": "件名" }), "words_ja"),
    ] {
        let mut whole = json!({ "subject_en": "Where to enter", "words_en": "By the door." });
        for (name, value) in form.as_object().unwrap() {
            whole[name] = value.clone();
        }
        let refused = show.try_draft(&whole).await;
        assert!(matches!(refused.status, 413 | 422), "{whole}: {}", refused.body);
        if refused.status == 422 {
            assert!(refused.json()["fields"].get(field).is_some(), "{field}: {}", refused.body);
        }
    }
    show.office.close_as_it_is().await;
}

#[sqlx::test]
async fn who_declined_letters_gets_the_necessary_ones_only_and_a_stopped_one_is_not_sent(
    db: PgPool,
) {
    let server = MailServer::start();
    let show = Show::open(&db, &[]).await;
    let ada = show.office.sign_in("ada").await;
    show.buy(&ada, 0).await;
    run_sql(&db, "delete from outbox").await;
    let choices = [("transfers", "on"), ("turn", "on")];
    assert_eq!(ada.post("/account/mails", &choices).await.status, 200);
    let page = ada.visit("/account").await;
    assert!(page.has("[name=letters]") && !page.has("[name=letters][checked]"), "{}", page.body);
    for (is_necessary, expected) in [(false, 0), (true, 1)] {
        let path = show.draft(&json!({ "necessary": is_necessary })).await;
        assert_eq!(show.act(&path, "release").await.status, 200);
        show.write_all().await;
        assert_eq!(told(&db).await.len(), expected);
        assert_eq!(show.act(&path, "stop").await.status, 200);
        assert_eq!(show.act(&path, "stop").await.code(), "letter-settled");
    }
    // What was written before the stop is given up when it would be sent.
    let mail: Uuid = read_one(&db, "select id from outbox where kind = 'office-letter'").await;
    let shown = show.admin.visit(&format!("/admin/mails/{mail}")).await;
    assert!(shown.body.contains("does not exist any more"), "{}", shown.body);
    assert!(server.received().is_empty());

    // A planned one waits for its time, and a stopped one is never written.
    run_sql(&db, "delete from outbox").await;
    let path = show.draft(&json!({ "necessary": true })).await;
    let (release, later) = (format!("{path}/release"), [("send_at", "2031-05-01T10:00")]);
    let past = show.admin.post(&release, &[("send_at", "2025-05-01T10:00")]).await;
    assert!(past.json()["fields"].get("send_at").is_some(), "{}", past.body);
    assert_eq!(show.admin.post(&release, &later).await.status, 200);
    show.write_all().await;
    assert_eq!(told(&db).await.len(), 0);
    // However many reminders were written since, it is found and stopped.
    run_sql(
        &db,
        "insert into office_letters
            (id, program_id, schedule_ids, zone_ids, price_type_ids, is_for_absent, is_necessary,
                texts, status, send_at, settled_at, reminds_of)
         select gen_random_uuid(), program_id, schedule_ids, '{}', '{}', false, false,
            '{}', 'WRITTEN', now(), now(), now() + make_interval(mins => n)
         from office_letters cross join generate_series(1, 120) n where status = 'PLANNED'",
    )
    .await;
    let listed = show.admin.get(&show.letters_path()).await.json();
    let listed = listed["letters"].as_array().unwrap();
    assert!(listed.iter().any(|letter| letter["status"] == "PLANNED"), "{listed:?}");
    assert_eq!(show.act(&path, "stop").await.status, 200);
    run_sql(&db, "update office_letters set send_at = now() where status = 'STOPPED'").await;
    show.write_all().await;
    assert_eq!(told(&db).await.len(), 0);
    show.office.close_as_it_is().await;
}

#[sqlx::test]
async fn thousands_are_written_to_once_by_many_workers_that_go_on_where_others_stopped(db: PgPool) {
    let show = Show::open(&db, &[]).await;
    let ada = show.office.sign_in("ada").await;
    show.buy(&ada, 0).await;
    show.give_to_guests(2_500).await;
    let path = show.draft(&json!({})).await;
    assert_eq!(audience(&show, &path).await, 2_501);
    assert_eq!(show.act(&path, "release").await.status, 200);
    let workers = (0..6).map(|_| {
        let db = show.office.app.db.clone();
        tokio::spawn(async move { admin::write_letters(&db).await.unwrap() })
    });
    for worker in workers.collect::<Vec<_>>() {
        worker.await.unwrap();
    }
    show.write_all().await;
    assert_eq!(told(&db).await.len(), 2_501);
    let document = show.admin.get(&path).await.json();
    assert_eq!(document["letter"]["n_accounts"], 2_501, "{document}");
    assert_eq!(document["letter"]["status"], "WRITTEN", "{document}");
    show.office.close_as_it_is().await;
}

#[sqlx::test]
async fn a_letter_that_cannot_be_written_keeps_no_other_back_and_is_tried_again(db: PgPool) {
    let show = Show::open(&db, &[]).await;
    let ada = show.office.sign_in("ada").await;
    show.buy(&ada, 0).await;
    let first = show.draft(&json!({})).await;
    let broken = format!(
        "create function refuse_letter() returns trigger language plpgsql as $$
         begin
            if new.payload ->> 'letter_id' = '{}' then raise 'no room'; end if;
            return new;
         end $$",
        first.rsplit('/').next().unwrap()
    );
    run_sql(&db, sqlx::AssertSqlSafe(broken)).await;
    let trigger = "create trigger refuse_letter before insert on outbox
        for each row execute function refuse_letter()";
    run_sql(&db, trigger).await;
    let second = show.draft(&json!({})).await;
    for path in [&first, &second] {
        assert_eq!(show.act(path, "release").await.status, 200);
    }
    until("the second", async || told(&db).await.len() == 1).await;
    let state = async |path: &str| show.admin.get(path).await.json()["letter"]["status"].clone();
    assert_eq!((state(&first).await, state(&second).await), ("PLANNED".into(), "WRITTEN".into()));
    run_sql(&db, "drop trigger refuse_letter on outbox").await;
    until("the first", async || told(&db).await.len() == 2).await;
    show.office.close_as_it_is().await;
}

#[sqlx::test]
async fn of_a_release_and_a_stop_at_once_the_log_says_what_came_of_it(db: PgPool) {
    let show = Show::open_on(&db, 2, &[]).await;
    let path = show.draft(&json!({})).await;
    let answers = storm((0..8).map(|nth| {
        let admin: Person = show.office.moved(&show.admin, nth % 2);
        let path = format!("{path}/{}", if nth < 4 { "release" } else { "stop" });
        async move { admin.post(&path, &()).await }
    }))
    .await;
    let done = answers.iter().filter(|answer| answer.status == 200).count();
    assert!((1..=2).contains(&done), "{answers:?}");
    let state = show.admin.get(&path).await.json()["letter"]["status"].clone();
    assert_eq!(state, "STOPPED", "a stop follows a release, and a release never a stop");
    show.office.close_as_it_is().await;
}
