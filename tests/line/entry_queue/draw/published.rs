//! What is published of a draw, and that any reader can draw again from it.

use std::process::Command;

use base64::{Engine, engine::general_purpose::STANDARD};
use hmac::{Hmac, KeyInit, Mac};
use reqwest::Method;
use sha2::{Digest, Sha256};
use stagedoor::entry_queue::{BeaconPart, DrawFault, check_draw};

use super::*;

/// Runs the check that the documentation shows; with a key also of the entry's receipt.
pub(super) fn documented_check(draw: &str, list: &str, entry: &str, key: Option<&str>) -> bool {
    let page = std::fs::read_to_string("docs/PUBLIC-DRAW.md").unwrap();
    let (_, rest) = page.split_once("```python\n").unwrap();
    let (script, _) = rest.split_once("```").unwrap();
    let folder = std::env::temp_dir().join(uuid::Uuid::new_v4().to_string());
    std::fs::create_dir(&folder).unwrap();
    let file = |name: &str, text: &str| {
        let path = folder.join(name);
        std::fs::write(&path, text).unwrap();
        path
    };
    let mut python = Command::new("python3");
    python.arg(file("check.py", script)).arg(file("draw.json", draw));
    python.arg(file("entries.txt", list)).arg(file("entry.json", entry));
    python.args(key);
    let checked = python.output().unwrap().status.success();
    std::fs::remove_dir_all(&folder).unwrap();
    checked
}

/// Runs `stagedoor check-draw`, and returns what it prints.
pub(super) fn commanded_check(
    draw: &str,
    list: &str,
    entry: &str,
    key: Option<&str>,
) -> Result<String, String> {
    let folder = std::env::temp_dir().join(uuid::Uuid::new_v4().to_string());
    std::fs::create_dir(&folder).unwrap();
    let files = [("draw.json", draw), ("entries.txt", list), ("entry.json", entry)];
    for (name, text) in files {
        std::fs::write(folder.join(name), text).unwrap();
    }
    let mut program = Command::new(env!("CARGO_BIN_EXE_stagedoor"));
    program.current_dir(&folder).env_clear();
    program.args(["check-draw", "draw.json", "entries.txt", "--entry", "entry.json"]);
    program.args(key.map(|key| format!("--key={key}")));
    let ran = program.output().unwrap();
    std::fs::remove_dir_all(&folder).unwrap();
    match ran.status.success() {
        true => Ok(String::from_utf8(ran.stdout).unwrap()),
        false => Err(String::from_utf8(ran.stderr).unwrap()),
    }
}

/// Returns the commitments in the order that they were drawn in, computed as the rule says.
fn drawn_order(draw: &Value, list: &str) -> Vec<String> {
    let bytes = |name: &str| hex::decode(draw[name].as_str().unwrap()).unwrap();
    let key = [bytes("seed"), bytes("head")].concat();
    let score = |line: &str| {
        let leaf = Sha256::digest(format!("\0stagedoor/draw-entry/v1\n{line}\n"));
        let mut mac = Hmac::<Sha256>::new_from_slice(&key).unwrap();
        mac.update(&leaf);
        mac.finalize().into_bytes().to_vec()
    };
    let mut lines: Vec<String> = list.lines().map(str::to_owned).collect();
    lines.sort_by_key(|line| score(line));
    lines
}

#[sqlx::test]
async fn the_numbers_are_exactly_the_order_that_anybody_can_compute(db: PgPool) {
    const PEOPLE: usize = 30;
    let office = Office::open(db.clone()).await;
    let concert = announced(&office, coming()).await;
    let people = office.crowd(PEOPLE, "Early").await;
    assert_eq!(count(&join_at_once(&people, &concert).await, 201, ""), PEOPLE);
    open_now(&db, &concert).await;
    let draw = draw_at(&office, &concert, "DRAWN").await;
    let list = list_of(&office, &concert, &draw).await;
    let order = drawn_order(&draw, &list);
    assert_eq!(order.len(), PEOPLE);
    for person in &people {
        let entry = entry_of(person, &concert).await;
        let number = number_of(person, &concert).await;
        let drawn = order.iter().position(|line| *line == entry["commitment"]).unwrap() + 1;
        assert_eq!(drawn, usize::try_from(number).unwrap());
        let position = list.lines().position(|line| entry["commitment"] == line).unwrap() + 1;
        assert_eq!(entry["position"], position);
    }
    // The public log of joins shows the same commitments, in the same order.
    let log = format!("/programs/{}/log", concert.slug);
    super::super::public_log::checkpoint_at(&office.stranger(), &log, PEOPLE).await;
    let bundle = format!("{log}/tile/entries/000.p/{PEOPLE}");
    let answer = office.stranger().asks(Method::GET, &bundle, "*/*").send().await.unwrap();
    let logged = super::super::public_log::entries_in(&answer.bytes().await.unwrap());
    let logged = logged.iter().map(|entry| {
        let commitment = entry.lines().nth(3).unwrap();
        hex::encode(STANDARD.decode(commitment).unwrap())
    });
    assert!(logged.eq(order), "the log has the drawn order");

    let (draw, entry) = (draw.to_string(), entry_of(&people[7], &concert).await);
    let checked = check_draw(&draw, &list, Some(&entry.to_string())).unwrap();
    assert_eq!((checked.entries, checked.beacon), (PEOPLE, BeaconPart::NotAnnounced));
    assert_eq!(checked.rank.map(Into::into), Some(entry["rank"].clone()));
    let said = commanded_check(&draw, &list, &entry.to_string(), None).unwrap();
    assert!(said.contains(&format!("This entry has number {}.", entry["rank"])), "{said}");
    assert!(documented_check(&draw, &list, &entry.to_string(), None));
    office.close().await;
}

#[sqlx::test]
async fn what_was_tampered_with_is_refused_by_the_program_and_by_the_documented_check(db: PgPool) {
    let office = Office::open(db.clone()).await;
    let concert = announced(&office, coming()).await;
    let people = office.crowd(9, "Early").await;
    assert_eq!(count(&join_at_once(&people, &concert).await, 201, ""), 9);
    open_now(&db, &concert).await;
    let draw = draw_at(&office, &concert, "DRAWN").await;
    let list = list_of(&office, &concert, &draw).await;
    let entry = entry_of(&people[0], &concert).await;
    let with = |document: &Value, name: &str, value: Value| {
        let mut changed = document.clone();
        changed[name] = value;
        changed
    };
    let zeros = || Value::from("00".repeat(32));
    let lines: Vec<&str> = list.lines().collect();
    let without_one = lines[1..].join("\n");
    let exchanged = [&[lines[1], lines[0]], &lines[2..]].concat().join("\n");
    let twice = [&lines[..1], &lines[..]].concat().join("\n");
    let foreign = format!("{}{}\n", list, "ff".repeat(32));
    let other_rank = if entry["rank"] == 1 { 2 } else { 1 };
    let cases = [
        (with(&draw, "seed", zeros()), &list, &entry, DrawFault::Seed),
        (with(&draw, "commitment", zeros()), &list, &entry, DrawFault::Seed),
        (with(&draw, "seed", Value::Null), &list, &entry, DrawFault::NotRevealed),
        (with(&draw, "head", zeros()), &list, &entry, DrawFault::Head),
        (with(&draw, "entries", 8.into()), &list, &entry, DrawFault::Head),
        (draw.clone(), &without_one, &entry, DrawFault::Head),
        (draw.clone(), &foreign, &entry, DrawFault::Head),
        (draw.clone(), &exchanged, &entry, DrawFault::List),
        (draw.clone(), &twice, &entry, DrawFault::List),
        (
            draw.clone(),
            &list,
            &with(&entry, "salt", STANDARD.encode([0; 32]).into()),
            DrawFault::Entry,
        ),
        (draw.clone(), &list, &with(&entry, "rank", other_rank.into()), DrawFault::Entry),
        (with(&draw, "rule", "stagedoor/draw/v0".into()), &list, &entry, DrawFault::Malformed),
    ];
    for (draw, list, entry, fault) in cases {
        let (draw, entry) = (draw.to_string(), entry.to_string());
        assert_eq!(check_draw(&draw, list, Some(&entry)).unwrap_err(), fault);
        assert!(!documented_check(&draw, list, &entry, None), "{fault}");
        let said = commanded_check(&draw, list, &entry, None).unwrap_err();
        assert!(said.contains(&fault.to_string()), "{said}");
    }
    office.close().await;
}

#[sqlx::test]
async fn the_seed_is_told_and_stored_only_when_it_is_revealed(db: PgPool) {
    let office = Office::open(db.clone()).await;
    let concert = announced(&office, coming()).await;
    let ada = office.sign_in("ada").await;
    assert_eq!(join(&ada, &concert).await.status, 201);
    let announcement = draw_at(&office, &concert, "OPEN").await;
    refuse_when(&db, "new.revealed_at is not null and old.revealed_at is null").await;
    let dump_of = "select row_to_json(d)::text || (select string_agg(row_to_json(e)::text, '')
        from queue_draw_entries e) || (select string_agg(row_to_json(l)::text, '') from audit_log l)
        from queue_draws d where program_id = $1";
    let mut seen = String::new();
    for step in ["OPEN", "CLOSED"] {
        if step == "CLOSED" {
            open_now(&db, &concert).await;
        }
        let draw = draw_at(&office, &concert, step).await;
        assert_eq!((&draw["seed"], &draw["revealed_at"]), (&Value::Null, &Value::Null));
        assert_eq!(entry_of(&ada, &concert).await["score"], Value::Null);
        for path in ["", "/entry"] {
            let page = ada.visit(&format!("{}{path}", draw_path_of(&concert))).await;
            assert_eq!(page.status, 200);
            seen += &page.body;
        }
        seen += &draw.to_string();
        seen += &read_one_with::<String>(&db, dump_of, concert.program_id).await;
        seen += &ada.get(&queue_path_of(&concert)).await.body;
    }
    let_live(&db).await;
    let draw = draw_at(&office, &concert, "DRAWN").await;
    let seed = draw["seed"].as_str().unwrap();
    assert!(!seen.contains(seed), "it was secret");
    assert_eq!(draw["commitment"], announcement["commitment"], "and is what was announced");
    assert_eq!(hex::encode(Sha256::digest(hex::decode(seed).unwrap())), draw["commitment"]);
    let page = ada.visit(&draw_path_of(&concert)).await;
    assert!(page.body.contains(seed) && page.body.contains("no outside beacon"), "{}", page.body);
    office.close().await;
}

#[sqlx::test]
async fn the_list_is_published_at_the_close_for_ever_and_names_nobody(db: PgPool) {
    let office = Office::open(db.clone()).await;
    let concert = announced(&office, coming()).await;
    let people = office.crowd(3, "Early").await;
    assert_eq!(count(&join_at_once(&people, &concert).await, 201, ""), 3);
    let stranger = office.stranger();
    let list = format!("{}/entries", draw_path_of(&concert));
    assert_eq!(stranger.get(&format!("{list}/0")).await.status, 404, "it is open");
    open_now(&db, &concert).await;
    draw_at(&office, &concert, "DRAWN").await;
    let page = stranger.get(&format!("{list}/0")).await;
    assert!(page.header("cache-control").contains("immutable"));
    assert_eq!(page.header("access-control-allow-origin"), "*");
    assert_eq!(page.body.lines().count(), 3);
    for person in &people {
        let entry = entry_of(person, &concert).await;
        let id = entry["id"].as_str().unwrap();
        assert!(!page.body.contains(&person.account_id.to_string()) && !page.body.contains(id));
        assert!(page.body.contains(entry["commitment"].as_str().unwrap()));
    }
    for path in ["/1", "/18446744073709551615", "/-1", "/x", ""] {
        assert_eq!(stranger.get(&format!("{list}{path}")).await.status, 404, "{path}");
    }
    let entry = format!("{}/entry", draw_path_of(&concert));
    assert_eq!(stranger.get(&entry).await.code(), "login-required");
    assert_eq!(office.sign_in("late").await.get(&entry).await.code(), "no-token");
    let file = people[0].get(&format!("{entry}.json")).await;
    assert!(file.header("content-disposition").contains("entry.json"));
    let file = stranger.visit(&format!("{}.json", draw_path_of(&concert))).await;
    assert_eq!(file.json()["step"], "DRAWN");
    let usual = Concert::with(&db, coming()).await;
    assert_eq!(stranger.get(&draw_path_of(&usual)).await.status, 404, "first come, first served");
    office.close().await;
}
