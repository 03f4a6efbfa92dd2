//! Witnesses of the logs: what an office shows of them, and what it does without them.

mod kept;

use hmac::{Hmac, KeyInit as _, Mac as _};
use reqwest::Method;
use serde_json::{Value, json};
use sha2::Sha256;
use sqlx::PgPool;
use stagedoor::entry_queue::{Witnesses, grow_logs};

use super::{bytes_of, checkpoint_with, documented_script, entries_in, log_path_of};
use crate::{
    entry_queue::{crowded, join},
    support::{
        ChildWitness, Concert, OddWitness, Office, Person, eventually, read_one, run_sql,
        signed_log::{SignedLog, is_cosigned, witness_key},
        until,
    },
};

const HOST: &str = "tickets.localhost";
const SECRET: &str = "the secret of the logs of these offices";
/// What an office asks again about, it asks now.
const DUE: &str = "update queue_log_witnesses set asked_at = asked_at - interval '1 day'";

/// Returns a log that the office's key signs.
fn signed_by_the_office(origin: &str) -> SignedLog {
    let key = Hmac::<Sha256>::new_from_slice(SECRET.as_bytes()).unwrap();
    let seed = key.chain_update(b"stagedoor/log-key").finalize().into_bytes();
    SignedLog::telling("", origin, 0).signed_by(&seed.into())
}

/// Returns the key of all logs of the office.
fn office_key() -> String {
    signed_by_the_office(HOST).verifier_key()
}

/// Opens two instances that ask `witnesses`.
async fn open(db: &PgPool, witnesses: &[String]) -> Office {
    let witnesses = witnesses.join(",");
    let settings = [
        ("PUBLIC_URL", "http://tickets.localhost"),
        ("LOG_SECRET", SECRET),
        ("LOG_WITNESSES", &witnesses),
        ("REHEARSAL_TOKEN", SECRET),
        ("METRICS_TOKEN", SECRET),
    ];
    Office::open_with(db.clone(), 2, &settings).await
}

fn origin_of(concert: &Concert) -> String {
    format!("{HOST}/programs/{}/log", concert.program_id)
}

/// Returns the newest cosigned checkpoint once it has `size` entries: what is signed, and its lines.
async fn cosigned_with(person: &Person, path: &str, size: usize) -> (String, Vec<String>) {
    eventually("a cosigned checkpoint", async || {
        let told = person.get(&format!("{path}/checkpoint/cosigned")).await;
        let Some((text, lines)) = told.body.split_once("\n\n") else { return Err(told.body) };
        let lines: Vec<String> = lines.lines().map(str::to_owned).collect();
        let is_so = text.lines().nth(1) == Some(&size.to_string());
        if is_so { Ok((format!("{text}\n"), lines)) } else { Err(told.body) }
    })
    .await
}

/// Returns what the log says of its witness `idx`, once that has `fault`.
async fn said_of(person: &Person, concert: &Concert, idx: usize, fault: &Value) -> Value {
    eventually("the state of a witness", async || {
        let document = person.get(&log_path_of(concert)).await.json();
        let said = document["witnesses"][idx].clone();
        if said["fault"] == *fault { Ok(said) } else { Err(document) }
    })
    .await
}

async fn metrics_of(person: &Person) -> String {
    let request = person.asks(Method::GET, "/metrics", "text/plain");
    person.send(request.bearer_auth(SECRET)).await.body
}

async fn join_all(people: &[Person], concert: &Concert) {
    for person in people {
        assert_eq!(join(person, concert).await.status, 201);
    }
}

#[sqlx::test]
async fn what_the_logs_grow_by_is_cosigned_and_anybody_can_check_it(db: PgPool) {
    let witness = ChildWitness::start(&[&office_key()]);
    let office = open(&db, &[witness.setting()]).await;
    let concert = Concert::with(&db, crowded()).await;
    let (path, people) = (log_path_of(&concert), office.crowd(300, "Ada").await);
    let stranger = office.stranger();
    let nothing = stranger.get(&format!("{path}/checkpoint/cosigned")).await;
    assert_eq!(
        (nothing.status, stranger.get(&path).await.json()["office_key"].as_str().unwrap()),
        (404, &*office_key())
    );
    join_all(&people[..2], &concert).await;
    let (text, lines) = cosigned_with(&stranger, &path, 2).await;
    assert_eq!(lines.len(), 2);
    assert!(is_cosigned(&witness.key, &text, &lines[1]), "{lines:?}");
    let kept = format!("{text}\n{}\n", lines.join("\n"));
    assert_eq!(stranger.get(&format!("{path}/checkpoint")).await.body, kept, "the newest one");

    join_all(&people[2..], &concert).await;
    let (text, lines) = cosigned_with(&stranger, &path, 300).await;
    assert!(is_cosigned(&witness.key, &text, &lines[1]), "{lines:?}");
    let newer = format!("{text}\n{}\n", lines.join("\n"));
    assert_eq!(witness.head_of(&origin_of(&concert)).await.as_deref(), Some(newer.as_str()));
    let (moves, move_lines) = cosigned_with(&stranger, &format!("{path}/moves"), 2).await;
    assert!(is_cosigned(&witness.key, &moves, &move_lines[1]), "{move_lines:?}");

    let said = said_of(&stranger, &concert, 0, &Value::Null).await;
    assert_eq!((&said["size"], &said["verifier_key"]), (&json!(300), &json!(witness.key)));
    let page = stranger.visit(&path).await.body;
    assert!(
        page.contains("Confirmed up to entry 300, at ") && page.contains(&witness.key),
        "{page}"
    );
    eventually("the metrics", async || {
        let told = metrics_of(&stranger).await;
        let series = |state: &str, n: i32| {
            let labels = format!("witness=\"{}\",state=\"{state}\"", witness.name);
            told.contains(&format!("stagedoor_witness_entries{{{labels}}} {n}\n"))
        };
        if series("cosigned", 302) && series("waiting", 0) { Ok(()) } else { Err(told.clone()) }
    })
    .await;

    let key = stranger.get(&path).await.json()["verifier_key"].as_str().unwrap().to_owned();
    let address = format!("{}{path}", office.base(0));
    let fits = async |texts: [&str; 2], key: &str, witness: &str| {
        documented_script(1, &texts, &[&address, key, witness]).await
    };
    let (w1, w2) = (&*witness.key, &*witness_key(&witness.name, &[5; 32]));
    assert!(fits([&kept, &newer], &key, w1).await);
    assert!(fits([&newer, &newer], &key, w1).await);
    assert!(!fits([&newer, &kept], &key, w1).await, "the later one is the smaller one");
    assert!(!fits([&kept, &newer], &key, w2).await, "another witness");
    assert!(!fits([&kept, &newer], &office_key(), w1).await, "another log");
    let mut fork = signed_by_the_office(&origin_of(&concert));
    fork.entries = vec!["another".to_owned(), "history".to_owned()];
    let forked = fork.sign(&fork.text(2));
    assert!(!fits([&forked, &newer], &key, w1).await, "another history");
    office.verify().await;
    office.close().await;
}

#[sqlx::test]
async fn a_witness_that_does_not_answer_holds_up_nothing_and_the_page_says_since_when(db: PgPool) {
    let mut witness = ChildWitness::start(&[&office_key()]);
    let silent = OddWitness::silent().await;
    let silent_key = witness_key("silent.example/w2", &[6; 32]);
    let silent_setting = format!("{silent_key} http://127.0.0.1:{}", silent.port);
    let office = open(&db, &[witness.setting(), silent_setting]).await;
    let concert = Concert::with(&db, crowded()).await;
    let (path, people) = (log_path_of(&concert), office.crowd(4, "Ada").await);
    let stranger = office.stranger();
    join_all(&people[..2], &concert).await;
    let (text, lines) = cosigned_with(&stranger, &path, 2).await;
    assert!(is_cosigned(&witness.key, &text, &lines[1]), "the other one confirms");
    let said = said_of(&stranger, &concert, 1, &json!("away")).await;
    assert_eq!((&said["size"], &said["cosigned_at"]), (&json!(0), &Value::Null));
    assert!(silent.n_asked() > 0);

    witness.kill();
    join_all(&people[2..], &concert).await;
    checkpoint_with(&stranger, &concert, 4).await;
    let said = said_of(&stranger, &concert, 0, &json!("away")).await;
    assert_eq!(said["size"], 2);
    assert_eq!(cosigned_with(&stranger, &path, 2).await.0, text, "it keeps its address");
    let page = stranger.visit(&path).await.body;
    for part in ["Confirmed up to entry 2, at ", "No answer since ", "Nothing confirmed yet."] {
        assert!(page.contains(part), "{part}: {page}");
    }
    let korean = stranger.asks(Method::GET, &path, "text/html").header("accept-language", "ko");
    let page = stranger.send(korean).await.body;
    assert!(page.contains("항목 2까지 확인했어요") && page.contains("부터 답이 없어요"), "{page}");

    witness.start_again();
    run_sql(&db, DUE).await;
    let (text, lines) = cosigned_with(&stranger, &path, 4).await;
    assert!(is_cosigned(&witness.key, &text, &lines[1]));
    let said = said_of(&stranger, &concert, 0, &Value::Null).await;
    assert_eq!((&said["size"], &said["failing_since"]), (&json!(4), &Value::Null));
    office.close().await;
}

/// Seen from the witness, a database of before some joins is one that lost them.
#[sqlx::test]
async fn a_database_that_was_put_back_is_refused_and_everybody_is_told(db: PgPool) {
    let witness = ChildWitness::start(&[&office_key()]);
    let office = open(&db, &[witness.setting()]).await;
    let concert = Concert::with(&db, crowded()).await;
    let (path, people) = (log_path_of(&concert), office.crowd(6, "Ada").await);
    let stranger = office.stranger();
    join_all(&people[..3], &concert).await;
    cosigned_with(&stranger, &path, 3).await;
    let mut lost = signed_by_the_office(&origin_of(&concert));
    lost.entries = entries_in(&bytes_of(&stranger, &format!("{path}/tile/entries/000.p/3")).await);
    lost.entries.extend(["lost".to_owned(), "too".to_owned()]);
    let href = format!("http://127.0.0.1:{}/add-checkpoint", witness.port);
    let added = reqwest::Client::new().post(href).body(lost.request(3, 5)).send().await.unwrap();
    assert_eq!(added.status(), 200);

    run_sql(&db, DUE).await;
    said_of(&stranger, &concert, 0, &json!("ahead")).await;
    let page = stranger.visit(&path).await.body;
    assert!(page.contains("it has confirmed more entries than this log has now"), "{page}");
    join_all(&people[3..], &concert).await;
    checkpoint_with(&stranger, &concert, 6).await;
    run_sql(&db, DUE).await;
    let said = said_of(&stranger, &concert, 0, &json!("forked")).await;
    assert_eq!(said["size"], 3);
    let page = stranger.visit(&path).await.body;
    assert!(page.contains("what it confirmed before is not what this log says now"), "{page}");
    assert_eq!(cosigned_with(&stranger, &path, 3).await.1.len(), 2, "what was confirmed stays");
    let head = witness.head_of(&origin_of(&concert)).await.unwrap();
    assert!(head.contains("\n5\n"), "{head}");
    eventually("the metric of an alarm", async || {
        let told = metrics_of(&stranger).await;
        let labels = format!("witness=\"{}\",state=\"refused\"", witness.name);
        let is_told = told.contains(&format!("stagedoor_witness_logs{{{labels}}} 1\n"));
        if is_told { Ok(()) } else { Err(told) }
    })
    .await;
    office.close().await;
}

#[sqlx::test]
async fn an_answer_that_is_not_of_the_protocol_is_not_believed(db: PgPool) {
    let (stranger_to_it, other) = (SignedLog::telling("", "log.example", 1), [8; 32]);
    let witness = ChildWitness::start(&[&stranger_to_it.verifier_key()]);
    let forged = format!("— odd.example/forged {}\n", "AAAAAAAA".repeat(12) + "AAAAAA==");
    let mut settings = vec![witness.setting()];
    let mut odd = Vec::new();
    for (name, status, body) in
        [("forged", 200, forged.as_str()), ("elsewhere", 409, "0\n"), ("ill", 500, "")]
    {
        let server = OddWitness::answering(status, body).await;
        let key = witness_key(&format!("odd.example/{name}"), &other);
        settings.push(format!("{key} http://127.0.0.1:{}", server.port));
        odd.push(server);
    }
    let office = open(&db, &settings).await;
    let concert = Concert::with(&db, crowded()).await;
    let person = office.sign_in("ada").await;
    join(&person, &concert).await;
    let faults = ["stranger", "unusable", "unusable", "away"];
    for (idx, fault) in faults.iter().enumerate() {
        let said = said_of(&person, &concert, idx, &json!(fault)).await;
        assert_eq!((&said["size"], &said["cosigned_at"]), (&json!(0), &Value::Null), "{said}");
    }
    let path = format!("{}/checkpoint", log_path_of(&concert));
    assert_eq!(person.get(&format!("{path}/cosigned")).await.status, 404);
    assert_eq!(person.get(&path).await.body.lines().count(), 5, "the log's signature alone");
    assert!(odd.iter().all(|server| server.n_asked() > 0));
    assert_eq!(witness.n_heads(), 0);
    let counted = read_one::<i64>(&db, "select count(*) from queue_log_witnesses where size > 0");
    assert_eq!(counted.await, 0);
    office.close().await;
}

#[sqlx::test]
async fn the_logs_of_a_rehearsal_are_shown_to_nobody(db: PgPool) {
    let witness = ChildWitness::start(&[&office_key()]);
    let office = open(&db, &[witness.setting()]).await;
    let stage = office.stranger().asks(Method::POST, "/rehearsal/stages", "application/json");
    let stage = stage.bearer_auth(SECRET).json(&json!({ "people": 10 })).send().await.unwrap();
    assert_eq!(stage.status(), 201);
    let stage: Value = stage.json().await.unwrap();
    let program_id = stage["program_id"].as_str().unwrap();
    let real = Concert::with(&db, crowded()).await;
    // Moves are published once no older transaction runs, of another test either.
    let rehearsed = "select count(*) from queue_logs where size > 0 and is_throwaway(program_id)";
    until("the rules of the rehearsal are in its second log", async || {
        grow_logs(&office.app).await.unwrap();
        read_one::<i64>(&db, rehearsed).await == 1
    })
    .await;
    let witnesses = Witnesses::of(&office.app.config).unwrap();
    witnesses.ask(&office.app).await.unwrap();
    cosigned_with(&office.stranger(), &format!("{}/moves", log_path_of(&real)), 1).await;
    assert_eq!(witness.n_heads(), 1, "of the real program only");
    let refused = sqlx::query(
        "insert into queue_log_witnesses (program_id, kind, witness)
         select program_id, kind, 'w' from queue_logs where is_throwaway(program_id)",
    );
    let refused = refused.execute(&db).await.unwrap_err().to_string();
    assert!(refused.contains("queue_log_witnesses_not_of_rehearsals"), "{refused}");
    let path = format!("/rehearsal/stages/{program_id}");
    let ended = office.stranger().asks(Method::DELETE, &path, "application/json");
    let ended = ended.bearer_auth(SECRET).send().await.unwrap();
    assert!(ended.status().is_success(), "{}", ended.text().await.unwrap());
    office.close().await;
}
