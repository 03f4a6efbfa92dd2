//! What the office says to a line, and why it is paused.

use std::time::Duration;

use chrono::TimeDelta;
use reqwest::{Method, Response};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use sqlx::PgPool;

use super::{crowded, join, public_log::moves::moves_of, queue_path_of, until_status};
use crate::support::{Answer, Concert, Office, Person, count, read_one, run_sql, storm, until};

/// Longer than three seconds, for a slow machine.
const HEARD_MAX: Duration = Duration::from_mins(1);
const FLOOD: &str = "The <b>organ</b> is wet.\nSee http://example.org";

fn announcements_path_of(concert: &Concert) -> String {
    format!("/programs/{}/announcements", concert.slug)
}

/// Posts to the queue's page of an administrator, with the version of now.
async fn order(admin: &Person, concert: &Concert, act: &str, mut body: Value) -> Answer {
    let path = format!("/admin/programs/{}/queue", concert.program_id);
    body["version"] = admin.get(&path).await.json()["program"]["version"].clone();
    admin.post_json(&format!("{path}{act}"), &body).await
}

async fn say(admin: &Person, concert: &Concert, words: &str) -> Value {
    let said = order(admin, concert, "/announcements", json!({ "words_en": words })).await;
    assert_eq!(said.status, 200, "{}", said.body);
    said.json()["announcements"].clone()
}

async fn visit_in(person: &Person, path: &str, language: &str) -> Answer {
    let request = person.asks(Method::GET, path, "text/html");
    person.send(request.header("accept-language", language)).await
}

async fn listen(person: &Person, concert: &Concert) -> Response {
    let path = announcements_path_of(concert);
    let stream = person.asks(Method::GET, &path, "text/event-stream").send().await.unwrap();
    assert_eq!(stream.status().as_u16(), 200);
    stream
}

/// Reads a stream until it has told these words, and returns everything that it told until then.
async fn hear(stream: &mut Response, words: &str) -> String {
    let mut heard = String::new();
    let listening = async {
        while !heard.contains(words) {
            let chunk = stream.chunk().await.unwrap().unwrap();
            heard.push_str(&String::from_utf8_lossy(&chunk));
        }
    };
    assert!(tokio::time::timeout(HEARD_MAX, listening).await.is_ok(), "{words} was not told");
    heard
}

#[sqlx::test]
async fn everybody_in_a_line_reads_what_the_office_says_in_their_language(db: PgPool) {
    let office = Office::open(db.clone()).await;
    let concert = Concert::with(&db, crowded()).await;
    let admin = office.employ("admin", "ADMIN").await;
    let people = office.crowd(2, "Line").await;
    for person in &people {
        join(person, &concert).await;
    }
    until_status(&people[0], &concert, "ACTIVE").await;
    let queue = queue_path_of(&concert);
    assert!(people[1].get(&queue).await.json()["announcements"].is_null(), "nothing is said yet");
    let body = json!({ "words_en": FLOOD, "words_ko": "오르간이 젖었어요." });
    assert_eq!(order(&admin, &concert, "/announcements", body).await.status, 200);
    let map = format!("/schedules/{}", concert.schedule_id);
    let shown = "The &#60;b&#62;organ&#60;/b&#62; is wet.";
    until("the announcement", async || people[0].visit(&map).await.body.contains(shown)).await;
    for person in &people {
        until("the announcement", async || person.visit(&queue).await.body.contains(shown)).await;
        let page = person.visit(&queue).await;
        assert!(!page.body.contains("<b>organ"), "{}", page.body);
    }
    let state = people[1].get(&queue).await.json();
    assert_eq!(state["announcements"][0]["words"]["ko"], "오르간이 젖었어요.");
    let korean = visit_in(&people[1], &queue, "ko").await;
    assert!(korean.body.contains("lang=\"ko\">오르간이 젖었어요."), "{}", korean.body);
    // Japanese was not written: the first language is read, and said to be it.
    let japanese = visit_in(&people[1], &queue, "ja").await;
    assert!(japanese.body.contains("lang=\"en\">The &#60;b&#62;"), "{}", japanese.body);

    let id = state["announcements"][0]["id"].as_str().unwrap().to_owned();
    let end = format!("/announcements/{id}/withdrawal");
    assert_eq!(order(&admin, &concert, &end, json!({})).await.status, 200);
    assert_eq!(order(&admin, &concert, &end, json!({})).await.status, 404, "it has ended");
    until("silence", async || !people[1].visit(&queue).await.body.contains(shown)).await;
    office.verify().await;
    office.close().await;
}

#[sqlx::test]
async fn a_pause_says_why_and_until_when_and_its_words_end_with_it(db: PgPool) {
    let office = Office::open(db.clone()).await;
    let concert = Concert::with(&db, crowded()).await;
    let admin = office.employ("admin", "ADMIN").await;
    let ada = office.sign_in("ada").await;
    join(&ada, &concert).await;
    until_status(&ada, &concert, "ACTIVE").await;
    say(&admin, &concert, "Doors open at eight.").await;
    let soon = (office.app.now() + TimeDelta::minutes(20)).to_rfc3339();
    let body = json!({ "words_en": "A pipe broke.", "until": soon });
    let paused = order(&admin, &concert, "/pause", body).await.json();
    let words: Vec<_> = paused["announcements"].as_array().unwrap().iter().collect();
    assert_eq!((words.len(), &words[0]["words"]["en"]), (2, &json!("A pipe broke.")));
    assert!(words[0]["expected_until"].is_string() && words[1]["expected_until"].is_null());
    let queue = queue_path_of(&concert);
    until("the reason", async || {
        let page = ada.visit(&queue).await.body;
        page.contains("A pipe broke.") && page.contains("Expected until")
    })
    .await;
    run_sql(&db, "alter table queue_announcements disable trigger user").await;
    run_sql(
        &db,
        "update queue_announcements set expected_until = now() - interval '1 minute'
         where is_of_pause",
    )
    .await;
    run_sql(&db, "alter table queue_announcements enable trigger user").await;
    let late = "This takes longer than expected";
    until("the delay", async || ada.visit(&queue).await.body.contains(late)).await;
    let resumed = order(&admin, &concert, "/resumption", json!({})).await.json();
    let left = resumed["announcements"].as_array().unwrap();
    assert_eq!((left.len(), &left[0]["words"]["en"]), (1, &json!("Doors open at eight.")));
    office.verify().await;
    office.close().await;
}

#[sqlx::test]
async fn what_was_said_is_in_the_public_log_as_a_hash_and_never_changes(db: PgPool) {
    let office = Office::open(db.clone()).await;
    let concert = Concert::with(&db, crowded()).await;
    let admin = office.employ("admin", "ADMIN").await;
    let said = say(&admin, &concert, FLOOD).await;
    let again = say(&admin, &concert, "It is dry.").await;
    let hash = |words: &str| hex::encode(Sha256::digest(words));
    let told = |said: &Value, words: &str| {
        let id = &said[0]["id"];
        let hash = hash(words);
        format!(
            r#"announced - {{"announcement" : {id}, "pause" : false, "until" : null, "sha256" : {{ "en" : "{hash}" }}}}"#
        )
    };
    let moves = moves_of(&admin, &concert, 4).await;
    assert_eq!(moves[1], told(&said, FLOOD));
    assert_eq!(moves[2], format!(r#"announcement-ended - {{"announcement" : {}}}"#, said[0]["id"]));
    assert_eq!(moves[3], told(&again, "It is dry."));
    let log = format!("/programs/{}/log", concert.slug);
    let page = office.stranger().visit(&log).await.body;
    assert!(page.contains(&hash(FLOOD)) && page.contains("is wet.\nSee http"), "{page}");
    let document = office.stranger().get(&log).await.json();
    assert_eq!(document["announcements"][1]["words"]["en"], FLOOD);
    assert!(document["announcements"][1]["ended_at"].is_string());
    for forgery in [
        "update queue_announcements set words = '{\"en\": \"It was dry.\"}'",
        "update queue_announcements set ended_at = null",
        "delete from queue_announcements",
        "truncate queue_announcements",
    ] {
        assert!(sqlx::query(forgery).execute(&db).await.is_err(), "{forgery}");
    }
    office.verify().await;
    office.close().await;
}

#[sqlx::test]
async fn nonsense_is_not_said_and_stays_in_the_form(db: PgPool) {
    let office = Office::open(db.clone()).await;
    let concert = Concert::with(&db, crowded()).await;
    let admin = office.employ("admin", "ADMIN").await;
    let long = "a".repeat(1_001);
    for (act, body, field) in [
        ("/announcements", json!({}), "words_en"),
        ("/announcements", json!({ "words_ko": " \n " }), "words_en"),
        ("/announcements", json!({ "words_en": long }), "words_en"),
        ("/announcements", json!({ "words_ja": "a\u{0}b", "words_en": "yes" }), "words_ja"),
        ("/pause", json!({ "until": "2099-01-01T10:00" }), "words_en"),
        ("/pause", json!({ "words_en": "why", "until": "2001-01-01T10:00" }), "until"),
        ("/pause", json!({ "words_en": "why", "until": "soon" }), "until"),
    ] {
        let refused = order(&admin, &concert, act, body).await;
        assert_eq!(refused.status, 422, "{field}: {}", refused.body);
        assert!(refused.json()["fields"][field].is_string(), "{field}: {}", refused.body);
    }
    let huge = order(&admin, &concert, "/announcements", json!({ "words_en": "a".repeat(65_536) }));
    assert_eq!(huge.await.status, 413);
    let path = format!("/admin/programs/{}/queue", concert.program_id);
    let typed = [("version", "9"), ("words_en", "A pipe broke.")];
    let stale = admin.submit(&format!("{path}/announcements"), &typed).await;
    assert_eq!(stale.status, 409);
    assert!(stale.body.contains("A pipe broke.</textarea>"), "{}", stale.body);
    run_sql(&db, "update programs set status = 'DRAFT'").await;
    let draft = order(&admin, &concert, "/announcements", json!({ "words_en": "soon" })).await;
    assert_eq!((draft.status, draft.code().as_str()), (409, "wrong-status"));
    assert_eq!(read_one::<i64>(&db, "select count(*) from queue_announcements").await, 0);
    office.close().await;
}

#[sqlx::test]
async fn of_many_words_at_once_one_stands_and_a_cancelled_show_says_nothing(db: PgPool) {
    let office = Office::open(db.clone()).await;
    let concert = Concert::with(&db, crowded()).await;
    let admin = office.employ("admin", "ADMIN").await;
    let path = format!("/admin/programs/{}/queue/announcements", concert.program_id);
    let answers = storm((0..20).map(|number| {
        let (admin, path) = (admin.clone(), path.clone());
        let body = json!({ "version": 0, "words_en": format!("Word {number}.") });
        async move { admin.post_json(&path, &body).await }
    }))
    .await;
    assert_eq!(count(&answers, 200, ""), 1, "{answers:?}");
    assert_eq!(count(&answers, 409, "changed-meanwhile"), 19, "{answers:?}");
    let standing = "select count(*) from queue_announcements where ended_at is null";
    assert_eq!(read_one::<i64>(&db, standing).await, 1);
    let version: i64 = read_one(&db, "select version from programs").await;
    let cancelled = admin
        .post_json(
            &format!("/admin/programs/{}/cancellation", concert.program_id),
            &json!({ "version": version, "reason": "a flood" }),
        )
        .await;
    assert_eq!(cancelled.status, 200, "{}", cancelled.body);
    assert_eq!(read_one::<i64>(&db, standing).await, 0);
    for (act, body) in [("/pause", json!({ "words_en": "Still here." })), ("/pause", json!({}))] {
        let late = order(&admin, &concert, act, body).await;
        assert_eq!((late.status, late.code().as_str()), (409, "wrong-status"), "{}", late.body);
    }
    office.verify().await;
    office.close().await;
}

#[sqlx::test]
async fn open_pages_hear_it_by_themselves_and_no_poll_more_is_sent(db: PgPool) {
    const N_PEOPLE: usize = 40;
    let office = Office::open_with(db.clone(), 2, &[]).await;
    let concert = Concert::with(&db, crowded()).await;
    let admin = office.employ("admin", "ADMIN").await;
    say(&admin, &concert, "Good evening.").await;
    let people = office.crowd(N_PEOPLE, "Line").await;
    let mut streams = Vec::new();
    for (number, person) in people.iter().enumerate() {
        let person = office.moved(person, number % 2);
        streams.push(listen(&person, &concert).await);
    }
    for stream in &mut streams {
        hear(stream, "Good evening.").await;
    }
    say(&admin, &concert, "A pipe broke.").await;
    for stream in &mut streams {
        let heard = hear(stream, "A pipe broke.").await;
        assert_eq!(heard.matches("data: ").count(), 1, "each is told once: {heard}");
    }
    let left = streams.split_off(1);
    drop(left);
    order(&admin, &concert, "/pause", json!({ "words_en": "A fire drill." })).await;
    assert!(hear(&mut streams[0], "A fire drill.").await.contains("\"is_of_pause\":true"));
    // An instance that stops ends what it streams, and does not wait for the people to leave.
    office.close().await;
    let ends = async { while let Ok(Some(_)) = streams[0].chunk().await {} };
    assert!(tokio::time::timeout(HEARD_MAX, ends).await.is_ok());
}
