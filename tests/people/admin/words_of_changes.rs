//! Words of staff about a change or a cancellation, in each reader's language, and what a line reads of it.

use reqwest::Method;
use serde_json::{Value, json};
use sqlx::PgPool;
use stagedoor::entry_queue;
use uuid::Uuid;

use super::{schedule_cancellation::wind_down, told_moves::Show, told_waits::wish};
use crate::support::{
    Answer, Hold, Person, admit, email_of, read_all, read_one, read_one_with, run_sql,
    run_sql_with, until,
};

const EN: &str = "The pianist has a cold.";
const KO: &str = "연주자가 아파요.";

/// Signs three people in who read English, Korean and Japanese.
async fn readers(show: &Show) -> [Person; 3] {
    let mut people = Vec::new();
    for (name, language) in [("ada", "en"), ("bob", "ko"), ("cleo", "ja")] {
        let person = show.office.sign_in(name).await;
        let sql =
            format!("update accounts set locale = '{language}', mail_locale = null where id = $1");
        sqlx::query(sqlx::AssertSqlSafe(sql))
            .bind(person.account_id)
            .execute(&show.office.db)
            .await
            .unwrap();
        people.push(person);
    }
    people.try_into().ok().unwrap()
}

/// The letters of a kind by the first letters of their readers.
async fn letters(show: &Show, kind: &str) -> Vec<(String, String)> {
    let sql = "select left(recipient, 3) || ' ' || id from outbox order by recipient, position";
    let mut letters = Vec::new();
    for row in read_all::<String>(&show.office.db, sql).await {
        let (who, id) = row.split_once(' ').unwrap();
        let mail = show.admin.get(&format!("/admin/mails/{id}")).await;
        if mail.json()["kind"] == kind {
            letters.push((
                who.to_owned(),
                mail.json()["text"].as_str().unwrap_or(&mail.body).to_owned(),
            ));
        }
    }
    letters
}

async fn visit_in(person: &Person, path: &str, language: &str) -> Answer {
    let request = person.asks(Method::GET, path, "text/html");
    person.send(request.header("accept-language", language)).await
}

async fn post(show: &Show, path: &str, mut form: Value) -> Answer {
    form["version"] = json!(show.version().await);
    show.admin.post_json(path, &form).await
}

/// Whether each letter has the words of its language, and none the others'.
fn expect_words(letters: &[(String, String)], words: [(&str, &str); 3]) {
    for (who, expected) in words {
        let (_, letter) = letters.iter().find(|(whose, _)| whose == who).unwrap();
        assert!(letter.contains(expected), "{who}: {letter}");
        let other = if expected == EN { KO } else { EN };
        assert!(!letter.contains(other), "{who}: {letter}");
    }
}

#[sqlx::test]
async fn each_reads_the_words_about_a_move_in_their_language_or_in_the_first(db: PgPool) {
    let show = Show::open(&db, &[]).await;
    let people = readers(&show).await;
    let mut orders = Vec::new();
    for (nth, person) in people.iter().enumerate() {
        orders.push(show.buy(person, nth).await.reservation_id);
    }
    run_sql(&db, "delete from outbox").await;
    let page = show.admin.visit(&show.path()).await;
    for field in ["words_en", "words_ko", "words_ja"] {
        assert!(page.has(&format!("form textarea[name={field}]")), "{field}: {}", page.body);
    }
    let long = json!({ "starts_at": "2031-06-16T20:00", "words_ko": "가".repeat(1_001) });
    let refused = post(&show, &show.path(), long).await;
    assert!(refused.json()["fields"]["words_ko"].is_string(), "{}", refused.body);
    let form = json!({ "starts_at": "2031-06-16T20:00", "words_en": EN, "words_ko": KO });
    let moved = post(&show, &show.path(), form).await;
    assert_eq!(moved.status, 200, "{}", moved.body);
    expect_words(
        &letters(&show, "performance-moved").await,
        [("ada", EN), ("bob", KO), ("cle", EN)],
    );
    for ((person, id), (language, tag, words)) in
        people.iter().zip(&orders).zip([("en", "en", EN), ("ko", "ko", KO), ("ja", "en", EN)])
    {
        let page = visit_in(person, &format!("/reservations/{id}"), language).await;
        assert_eq!(page.texts(&format!("span[lang={tag}]")), [words], "{language}: {}", page.body);
        let told = person.get(&format!("/reservations/{id}")).await.json();
        assert_eq!(told["move_words"], EN, "{told}");
        assert_eq!(told["move_texts"], json!({ "en": EN, "ko": KO }), "{told}");
    }
    // A program that knows one text sends it, and it is in no language.
    show.move_to("2031-06-17T20:00", "Later still.").await;
    let told = people[1].get(&format!("/reservations/{}", orders[1])).await.json();
    assert_eq!(told["move_words"], "Later still.");
    assert_eq!(told["move_texts"], json!({ "und": "Later still." }));
    let stored = "select payload -> 'words' = to_jsonb('Later still.'::text) from outbox
        where kind = 'performance-moved' order by position desc limit 1";
    assert!(read_one::<bool>(&db, stored).await, "a version before this one reads it");
    let page = visit_in(&people[1], &format!("/reservations/{}", orders[1]), "ko").await;
    assert!(
        page.body.contains("Later still.") && !page.body.contains("lang=\"und\""),
        "{}",
        page.body
    );
    // As a version before this one has written it.
    run_sql(&db, "update schedule_moves set texts = null").await;
    let told = people[1].get(&format!("/reservations/{}", orders[1])).await.json();
    assert_eq!(told["move_texts"], json!({ "und": "Later still." }));
    let log = show.admin.visit(&format!("/admin/audit?subject={}", show.concert.schedule_id)).await;
    assert!(log.body.contains(EN) && log.body.contains(KO), "{}", log.body);
    show.office.close().await;
}

#[sqlx::test]
async fn each_reads_the_words_about_a_cancellation_in_their_language(db: PgPool) {
    let show = Show::open(&db, &[]).await;
    let [ada, bob, cleo] = readers(&show).await;
    let paid = show.buy(&ada, 0).await;
    let held = Hold { seat_ids: &show.concert.seat_ids[1..2], ..Hold::default() };
    held.write(&db, &show.concert, bob.account_id).await;
    wish(&db, show.concert.schedule_id, cleo.account_id, 1).await;
    run_sql(&db, "delete from outbox").await;
    let path = format!("{}/cancellation", show.path());
    assert!(show.admin.visit(&path).await.has("form textarea[name=words_ko]"));
    let form = json!({ "reason": "illness", "words_en": EN, "words_ko": KO });
    let cancelled = post(&show, &path, form).await;
    assert_eq!(cancelled.status, 200, "{}", cancelled.body);
    wind_down(&show.office).await;
    let mut told = letters(&show, "performance-cancelled").await;
    told.extend(letters(&show, "program-cancelled").await);
    expect_words(&told, [("ada", EN), ("bob", KO), ("cle", EN)]);
    let order = format!("/reservations/{}", paid.reservation_id);
    assert!(visit_in(&ada, &order, "ko").await.body.contains(KO));
    let log = show.admin.visit(&format!("/admin/audit?subject={}", show.concert.schedule_id)).await;
    assert!(log.body.contains(KO), "{}", log.body);
    show.office.close().await;
}

#[sqlx::test]
async fn the_page_of_a_cancelled_show_says_why_in_its_readers_language(db: PgPool) {
    let show = Show::open(&db, &[]).await;
    let path = format!("/admin/programs/{}", show.concert.program_id);
    let version = show.admin.get(&path).await.json()["program"]["version"].clone();
    let form = json!({ "version": version, "reason": "illness", "words_en": EN, "words_ko": KO });
    let cancelled = show.admin.post_json(&format!("{path}/cancellation"), &form).await;
    assert_eq!(cancelled.status, 200, "{}", cancelled.body);
    let public = format!("/programs/{}", show.concert.slug);
    let stranger = show.office.stranger();
    until("the page says it", async || stranger.visit(&public).await.body.contains(EN)).await;
    let korean = visit_in(&stranger, &public, "ko").await;
    assert!(korean.body.contains(KO) && !korean.body.contains(EN), "{}", korean.body);
    show.office.close().await;
}

/// The words that stand for the line of the show, by language.
async fn line_words(person: &Person, show: &Show) -> Value {
    let path = format!("/programs/{}/announcements", show.concert.slug);
    person.get(&path).await.json()["announcements"][0]["words"].clone()
}

#[sqlx::test]
async fn the_line_reads_what_has_changed_above_what_was_said_before(db: PgPool) {
    let show = Show::open(&db, &[]).await;
    let ada = show.office.sign_in("ada").await;
    show.move_to("2031-05-03T20:00", "Nobody waits yet.").await;
    assert_eq!(line_words(&ada, &show).await, Value::Null);
    admit(&db, &show.concert, std::slice::from_ref(&ada)).await;
    let asked = show.admin.get(&show.path()).await.json();
    assert_eq!(asked["concerned"]["in_line"], 1, "who is inside reads it too: {asked}");
    run_sql_with(&db, "update queue_tokens set status = 'WAITING', admitted_at = null, expires_at = null, stay_ends_at = null where account_id = $1", ada.account_id).await;
    let asked = show.admin.get(&show.path()).await.json();
    assert_eq!(asked["concerned"]["in_line"], 1, "{asked}");
    assert!(show.admin.visit(&show.path()).await.has("form textarea[name=words_en]"));
    let form = json!({ "starts_at": "2031-06-16T20:00", "words_en": EN, "words_ko": KO });
    assert_eq!(post(&show, &show.path(), form).await.status, 200);
    until("the line reads it", async || !line_words(&ada, &show).await.is_null()).await;
    let words = line_words(&ada, &show).await;
    let english = words["en"].as_str().unwrap();
    for part in ["3 May 2031, 20:00 KST", "16 Jun 2031, 20:00 KST", EN] {
        assert!(english.contains(part), "{part}: {english}");
    }
    assert!(
        words["ko"].as_str().unwrap().contains(KO) && words["ja"].as_str().unwrap().contains(EN)
    );
    let logged = "select count(*) from queue_moves where kind = 'ANNOUNCED'";
    assert_eq!(read_one::<i64>(&db, logged).await, 1, "the public log has the hash");
    show.move_to("2031-06-17T20:00", "").await;
    until("the line reads both", async || {
        let words = line_words(&ada, &show).await;
        let english = words["en"].as_str().unwrap();
        english.find("17 Jun 2031") < english.find(EN) && english.contains("17 Jun 2031")
    })
    .await;
    show.office.close_as_it_is().await;
}

#[sqlx::test]
async fn what_was_announced_until_a_time_keeps_the_time_below_the_news(db: PgPool) {
    let show = Show::open(&db, &[]).await;
    let ada = show.office.sign_in("ada").await;
    admit(&db, &show.concert, std::slice::from_ref(&ada)).await;
    let path = format!("/admin/programs/{}", show.concert.program_id);
    let version = show.admin.get(&path).await.json()["program"]["version"].clone();
    let until_then = "2031-05-02T21:00:00+09:00";
    let form = json!({ "version": version, "words_en": "A pipe broke.", "until": until_then });
    let said = show.admin.post_json(&format!("{path}/queue/announcements"), &form).await;
    assert_eq!(said.status, 200, "{}", said.body);
    show.move_to("2031-06-16T20:00", "").await;
    let list = format!("/programs/{}/announcements", show.concert.slug);
    until("the news stand above", async || {
        let said = ada.get(&list).await.json()["announcements"][0].clone();
        let words = said["words"]["en"].as_str().unwrap_or_default();
        words.find("16 Jun 2031") < words.find("A pipe broke.")
            && words.contains("16 Jun 2031")
            && said["expected_until"].as_str().is_some_and(|at| at.starts_with("2031-05-02T12:00"))
    })
    .await;
    show.office.close_as_it_is().await;
}

#[sqlx::test]
async fn the_line_hears_of_a_cancelled_date_and_with_the_last_one_of_its_end_in_the_words_of_the_office(
    db: PgPool,
) {
    let show = Show::open(&db, &[]).await;
    let ada = show.office.sign_in("ada").await;
    let other = show.concert.another_date(&db, 1).await;
    admit(&db, &show.concert, std::slice::from_ref(&ada)).await;
    let path = format!("/admin/schedules/{}", other.schedule_id);
    let version: i64 =
        read_one_with(&db, "select version from schedules where id = $1", other.schedule_id).await;
    let form = json!({ "version": version, "reason": "illness", "words_en": EN, "words_ko": KO });
    let cancelled = show.admin.post_json(&format!("{path}/cancellation"), &form).await;
    assert_eq!(cancelled.status, 200, "{}", cancelled.body);
    until("the line reads it", async || !line_words(&ada, &show).await.is_null()).await;
    let words = line_words(&ada, &show).await;
    let (english, korean) = (words["en"].as_str().unwrap(), words["ko"].as_str().unwrap());
    assert!(english.contains("is cancelled") && english.contains(EN), "{english}");
    assert!(korean.contains("취소됐어요") && korean.contains(KO), "{korean}");

    let form = json!({ "reason": "illness", "words_en": "The roof fell." });
    assert_eq!(post(&show, &format!("{}/cancellation", show.path()), form).await.status, 200);
    wind_down(&show.office).await;
    entry_queue::purge_queues(&show.office.app).await.unwrap();
    let letters = letters(&show, "queue-cancelled").await;
    assert!(letters.len() == 1 && letters[0].1.contains("The roof fell."), "{letters:?}");
    show.office.close_as_it_is().await;
}

#[sqlx::test]
async fn who_is_offered_a_ticket_hears_of_a_move_and_of_the_end_with_and_without_an_account(
    db: PgPool,
) {
    let show = Show::open(&db, &[]).await;
    let (ada, bob) = (show.office.sign_in("ada").await, show.office.sign_in("bob").await);
    let addresses = [email_of(&db, bob.account_id).await, "stranger@example.com".to_owned()];
    for (nth, to) in addresses.iter().enumerate() {
        let bought = show.buy(&ada, nth).await;
        let path = format!("/tickets/{}/hand-overs", bought.codes[0]);
        let offered = ada.post_json(&path, &json!({ "to": to })).await;
        assert_eq!(offered.status, 201, "{}", offered.body);
    }
    run_sql(&db, "delete from outbox").await;
    show.move_to("2031-06-16T20:00", EN).await;
    let mut told: Vec<String> =
        read_all(&db, "select left(recipient, 3) from outbox where kind = 'performance-moved'")
            .await;
    told.sort();
    assert_eq!(told, ["ada", "bob", "str"]);
    let letters = letters(&show, "performance-moved").await;
    assert!(letters.iter().all(|(_, letter)| letter.contains(EN)), "{letters:?}");
    run_sql(&db, "delete from outbox").await;
    let form = json!({ "reason": "illness" });
    let path = format!("{}/cancellation", show.path());
    assert_eq!(post(&show, &path, form).await.status, 200);
    wind_down(&show.office).await;
    let mut told: Vec<String> =
        read_all(&db, "select left(recipient, 3) from outbox where kind = 'hand-over-withdrawn'")
            .await;
    told.sort();
    assert_eq!(told, ["bob", "str"]);
    let id: Uuid = read_one_with(
        &db,
        "select id from outbox where kind = 'hand-over-withdrawn' and recipient = $1",
        addresses[1].clone(),
    )
    .await;
    let mail = show.admin.get(&format!("/admin/mails/{id}")).await.body;
    assert!(!mail.contains("ada"), "nothing that the sender typed: {mail}");
    show.office.close().await;
}
