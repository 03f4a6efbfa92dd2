//! The public log of a line, and the receipts that it proves.

pub(super) mod moves;
mod receipts;
mod witnesses;

use base64::{Engine, engine::general_purpose::STANDARD};
use reqwest::Method;
use serde_json::Value;
use sqlx::PgPool;
use stagedoor::entry_queue::{check_receipt, grow_logs};

use super::{crowded, join, join_at_once, numbering_is_whole, queue_path_of};
use crate::support::{
    Concert, Office, Person, app, count, eventually, read_one, signed_log::root_of, until,
};

fn log_path_of(concert: &Concert) -> String {
    format!("/programs/{}/log", concert.slug)
}

async fn bytes_of(person: &Person, path: &str) -> Vec<u8> {
    let answer = person.asks(Method::GET, path, "*/*").send().await.unwrap();
    assert_eq!(answer.status(), 200, "{path}");
    answer.bytes().await.unwrap().to_vec()
}

/// Returns the lines of the checkpoint once it has `size` entries.
async fn checkpoint_with(person: &Person, concert: &Concert, size: usize) -> Vec<String> {
    checkpoint_at(person, &log_path_of(concert), size).await
}

/// Returns the lines of the checkpoint of the log at `path` once it has `size` entries.
pub(super) async fn checkpoint_at(person: &Person, path: &str, size: usize) -> Vec<String> {
    let path = format!("{path}/checkpoint");
    eventually("a checkpoint", async || {
        let told = person.get(&path).await.body;
        let lines: Vec<String> = told.lines().map(str::to_owned).collect();
        if lines.get(1) == Some(&size.to_string()) { Ok(lines) } else { Err(told) }
    })
    .await
}

async fn receipt_of(person: &Person, concert: &Concert) -> Value {
    person.get(&format!("{}/receipt", queue_path_of(concert))).await.json()
}

/// Returns the receipt of `person` once it has a proof.
async fn proven_receipt_of(person: &Person, concert: &Concert) -> Value {
    eventually("a proof", async || {
        let receipt = receipt_of(person, concert).await;
        if receipt["proof"].is_string() { Ok(receipt) } else { Err(receipt) }
    })
    .await
}

/// Splits a bundle into its entries.
pub(super) fn entries_in(mut bundle: &[u8]) -> Vec<String> {
    let mut entries = Vec::new();
    while let [high, low, rest @ ..] = bundle {
        let (entry, others) = rest.split_at(usize::from(u16::from_be_bytes([*high, *low])));
        entries.push(String::from_utf8(entry.to_vec()).unwrap());
        bundle = others;
    }
    entries
}

fn in_base64(bytes: &[u8]) -> String {
    STANDARD.encode(bytes)
}

/// Runs the check of a receipt that the documentation shows.
async fn documented_check(receipt: &Value, key: &str) -> bool {
    documented_script(0, &[&receipt.to_string()], &[key]).await
}

/// Runs a script of the documentation, with files of these texts and then `arguments`.
async fn documented_script(nth: usize, texts: &[&str], arguments: &[&str]) -> bool {
    let page = std::fs::read_to_string("docs/PUBLIC-LOG.md").unwrap();
    let script = page.split("```python\n").nth(nth + 1).unwrap().split("```").next().unwrap();
    assert!(script.lines().count() < 50, "{script}");
    let folder = std::env::temp_dir().join(uuid::Uuid::new_v4().to_string());
    std::fs::create_dir(&folder).unwrap();
    let file = |nth: usize, text: &str| {
        let path = folder.join(nth.to_string());
        std::fs::write(&path, text).unwrap();
        path
    };
    let mut python = tokio::process::Command::new("python3");
    python.arg(file(texts.len(), script)).stderr(std::process::Stdio::null());
    python.args(texts.iter().enumerate().map(|(nth, text)| file(nth, text))).args(arguments);
    let is_right = python.status().await.unwrap().success();
    std::fs::remove_dir_all(&folder).unwrap();
    is_right
}

#[sqlx::test]
async fn every_join_is_in_the_log_and_its_receipt_proves_it(db: PgPool) {
    const PEOPLE: usize = 300;
    let office = Office::open(db.clone()).await;
    let concert = Concert::with(&db, crowded()).await;
    let people = office.crowd(PEOPLE, "Storm").await;
    assert_eq!(count(&join_at_once(&people, &concert).await, 201, ""), PEOPLE);

    let stranger = office.stranger();
    let head = checkpoint_with(&stranger, &concert, PEOPLE).await;
    let path = log_path_of(&concert);
    let mut entries = entries_in(&bytes_of(&stranger, &format!("{path}/tile/entries/000")).await);
    let rest = bytes_of(&stranger, &format!("{path}/tile/entries/001.p/44")).await;
    entries.extend(entries_in(&rest));
    assert_eq!(in_base64(&root_of(&entries)), head[2]);
    for (index, entry) in entries.iter().enumerate() {
        assert!(entry.starts_with(&format!("stagedoor/join/v1\n{}\n", index + 1)), "{entry}");
    }
    let leaves: Vec<u8> =
        entries[..256].iter().flat_map(|entry| root_of(std::slice::from_ref(entry))).collect();
    assert_eq!(bytes_of(&stranger, &format!("{path}/tile/0/000")).await, leaves);
    assert_eq!(bytes_of(&stranger, &format!("{path}/tile/0/000.p/3")).await, leaves[..96]);
    let above = bytes_of(&stranger, &format!("{path}/tile/1/000.p/1")).await;
    assert_eq!(above, root_of(&entries[..256]));

    let key = stranger.get(&path).await.json()["verifier_key"].as_str().unwrap().to_owned();
    for person in [&people[0], &people[150], &people[299]] {
        let receipt = proven_receipt_of(person, &concert).await;
        let checked = check_receipt(&receipt.to_string(), &key).unwrap();
        assert_eq!(
            (checked.queue_number.0, checked.log_size),
            (receipt["queue_number"].as_i64().unwrap(), Some(u64::try_from(PEOPLE).unwrap()),)
        );
        assert_eq!(
            check_receipt(receipt["receipt"].as_str().unwrap(), &key).unwrap().log_size,
            None
        );
    }
    let receipt = proven_receipt_of(&people[7], &concert).await;
    assert!(documented_check(&receipt, &key).await);
    let mut other = receipt.clone();
    other["receipt"] = proven_receipt_of(&people[8], &concert).await["receipt"].clone();
    assert!(!documented_check(&other, &key).await, "somebody else's number");
    office.verify().await;
    office.close().await;
}

#[sqlx::test]
async fn what_the_log_does_not_have_is_not_found(db: PgPool) {
    let office = Office::open(db.clone()).await;
    let concert = Concert::with(&db, crowded()).await;
    let ada = office.sign_in("ada").await;
    let log = log_path_of(&concert);
    let empty = ada.get(&format!("{log}/checkpoint")).await;
    assert_eq!((empty.status, ada.get(&log).await.status), (404, 200), "nobody has joined");
    assert_eq!(receipt_of(&ada, &concert).await["code"], "no-token");
    join(&ada, &concert).await;
    checkpoint_with(&ada, &concert, 1).await;
    let nowhere = [
        "0/000",
        "0/000.p/2",
        "0/001.p/1",
        "1/000.p/1",
        "entries/000",
        "entries/000.p/2",
        "entries/001.p/1",
        "0/x999/x999/x999/x999/x999/999",
        "entries/x999/x999/x999/x999/x999/999",
        "8/000",
        "255/000",
        "0/000.p/0",
        "0/000.p/256",
        "0/-01",
        "0/%30%30%30%00",
        "",
        "/",
        "0/000/../000",
    ];
    for path in nowhere {
        let answer = ada.get(&format!("{log}/tile/{path}")).await;
        assert_eq!(answer.status, 404, "{path}: {}", answer.body);
    }
    let tile = ada.get(&format!("{log}/tile/0/000.p/1")).await;
    assert_eq!((tile.status, tile.header("access-control-allow-origin")), (200, "*"));
    assert!(tile.header("cache-control").contains("immutable"));
    let page = office.stranger().visit(&log).await;
    assert!(page.body.contains("stagedoor check-receipt"), "{}", page.body);
    let page = ada.visit(&format!("{}/receipt", queue_path_of(&concert))).await;
    assert!(page.body.contains("stagedoor/receipt/v2"), "{}", page.body);
    let drawing = ada.get(&format!("{}/receipt.svg", queue_path_of(&concert))).await;
    assert_eq!((drawing.status, drawing.header("content-type")), (200, "image/svg+xml"));
    let stranger = office.stranger();
    let refused = stranger.get(&format!("{}/receipt.json", queue_path_of(&concert))).await;
    assert_eq!(refused.status, 401);
    office.close().await;
}

#[sqlx::test]
async fn instances_that_publish_at_once_write_one_history(db: PgPool) {
    const JOINS: usize = 40;
    let office = Office::open(db.clone()).await;
    let concert = Concert::with(&db, crowded()).await;
    let people = office.crowd(JOINS, "Storm").await;
    let app = app(&db).await;
    let growing: Vec<_> = (0..4)
        .map(|_| {
            let app = app.clone();
            tokio::spawn(async move {
                for _ in 0..50 {
                    grow_logs(&app).await.unwrap();
                }
            })
        })
        .collect();
    assert_eq!(count(&join_at_once(&people, &concert).await, 201, ""), JOINS);
    for grown in growing {
        grown.await.unwrap();
    }
    grow_logs(&app).await.unwrap();
    assert_eq!(numbering_is_whole(&db, concert.program_id).await, Ok(40));
    checkpoint_with(&people[0], &concert, JOINS).await;
    office.verify().await;
    office.close().await;
}

#[sqlx::test]
async fn the_database_refuses_another_history(db: PgPool) {
    let office = Office::open(db.clone()).await;
    let concert = Concert::with(&db, crowded()).await;
    let people = office.crowd(2, "Ada").await;
    for person in &people {
        join(person, &concert).await;
    }
    checkpoint_with(&people[0], &concert, 2).await;
    // The log of moves grows after that of joins.
    until("moves are in the log", async || {
        let are = "select exists (select from queue_moves where leaf_index is not null)";
        read_one(&db, are).await
    })
    .await;
    for statement in [
        "update queue_tokens set issued_at = issued_at - interval '1 hour'",
        "update queue_tokens set queue_number = queue_number + 10",
        "update queue_tokens set commitment = sha256('other')",
        "update queue_tokens set commitment = null",
        "update queue_log_tiles set hashes = sha256('other')",
        "update queue_log_tiles set hashes = substring(hashes for 32)",
        "delete from queue_log_tiles",
        "truncate queue_log_tiles",
        "update queue_moves set moved_at = moved_at - interval '1 hour'",
        "update queue_moves set leaf_index = leaf_index + 1 where leaf_index is not null",
        "delete from queue_moves",
        "truncate queue_moves",
        "update queue_logs set size = size - 1 where kind = 'JOINS'",
        "update queue_logs set checkpoint = 'other' where kind = 'JOINS'",
        "update queue_logs set verifier_key = 'other'",
        "delete from queue_logs",
    ] {
        let refused = sqlx::query(statement).execute(&db).await.unwrap_err().to_string();
        assert!(refused.contains("is append-only"), "{statement}: {refused}");
    }
    office.verify().await;
    office.close().await;
}
