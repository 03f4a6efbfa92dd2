//! What the office signs of a draw: its steps in the public log, and the receipts of entries.

use stagedoor::entry_queue::{DrawFault, EntryFault, ReceiptFault, check_entry};

use super::{
    published::{commanded_check, documented_check},
    *,
};
use crate::entry_queue::public_log::moves::moves_of;

/// The detail of the entry `step` of the log of moves.
fn published(moves: &[String], step: &str) -> Value {
    let said = moves.iter().filter_map(|entry| entry.strip_prefix(&format!("{step} - ")));
    let said: Vec<&str> = said.collect();
    assert_eq!(said.len(), 1, "{moves:?}");
    serde_json::from_str(said[0]).unwrap()
}

#[sqlx::test]
async fn every_step_of_a_draw_is_signed_in_the_log_before_the_next_one(db: PgPool) {
    let office = Office::open(db.clone()).await;
    let concert = announced(&office, coming()).await;
    let ada = office.sign_in("ada").await;
    assert_eq!(join(&ada, &concert).await.status, 201);
    let draw = draw_at(&office, &concert, "OPEN").await;
    let said = published(&moves_of(&ada, &concert, 2).await, "draw-announced");
    assert_eq!((&said["commitment"], &said["opens_at"]), (&draw["commitment"], &draw["opens_at"]));
    assert_eq!((&said["chain"], &said["round"]), (&Value::Null, &Value::Null));

    refuse_when(&db, "new.revealed_at is not null and old.revealed_at is null").await;
    open_now(&db, &concert).await;
    let draw = draw_at(&office, &concert, "CLOSED").await;
    let said = published(&moves_of(&ada, &concert, 3).await, "draw-closed");
    assert_eq!((&said["head"], &said["entries"]), (&draw["head"], &1.into()));

    let_live(&db).await;
    let draw = draw_at(&office, &concert, "DRAWN").await;
    until_status(&ada, &concert, "ACTIVE").await;
    let said = published(&moves_of(&ada, &concert, 5).await, "draw-revealed");
    assert_eq!((&said["seed"], &said["beacon"]), (&draw["seed"], &Value::Null));
    let page = ada.visit(&format!("/programs/{}/log", concert.slug)).await.body;
    for step in ["draw announced", "entries of the draw closed", "seed of the draw revealed"] {
        assert!(page.contains(step), "{step}: {page}");
    }
    assert!(page.contains(draw["head"].as_str().unwrap()), "{page}");
    office.close().await;
}

#[sqlx::test]
async fn a_draft_s_draw_that_was_taken_back_stays_in_the_log(db: PgPool) {
    let office = Office::open(db.clone()).await;
    let concert = Concert::with(&db, coming()).await;
    run_sql_with(&db, "update programs set status = 'DRAFT' where id = $1", concert.program_id)
        .await;
    let admin = office.employ("boss", "ADMIN").await;
    let path = format!("/admin/programs/{}/queue/draw", concert.program_id);
    assert_eq!(admin.post(&path, &()).await.status, 200);
    assert_eq!(admin.post(&format!("{path}/withdrawal"), &()).await.status, 200);
    run_sql_with(&db, "update programs set status = 'PUBLISHED' where id = $1", concert.program_id)
        .await;
    let person = office.sign_in("ada").await;
    assert_eq!(moves_of(&person, &concert, 3).await[2], "draw-withdrawn -");
    office.close().await;
}

#[sqlx::test]
async fn a_receipt_proves_an_entry_that_the_list_does_not_have(db: PgPool) {
    let office = Office::open(db.clone()).await;
    let (concert, other) = (announced(&office, coming()).await, Concert::with(&db, coming()).await);
    let people = office.crowd(5, "Early").await;
    assert_eq!(count(&join_at_once(&people, &concert).await, 201, ""), 5);
    let entry = entry_of(&people[2], &concert).await;
    let key = entry["verifier_key"].as_str().unwrap();
    let log = office.stranger().get(&format!("/programs/{}/log", concert.slug)).await.json();
    assert_eq!(log["verifier_key"], key);
    let page = people[2].visit(&format!("{}/entry", draw_path_of(&concert))).await.body;
    assert!(page.contains("stagedoor/draw-receipt/v1"), "{page}");

    open_now(&db, &concert).await;
    let draw = draw_at(&office, &concert, "DRAWN").await.to_string();
    let list = list_of(&office, &concert, &serde_json::from_str(&draw).unwrap()).await;
    let own = entry["commitment"].as_str().unwrap();
    let lines: Vec<&str> = list.lines().filter(|line| *line != own).collect();
    let without = lines.join("\n");
    let text = entry.to_string();
    let entered_at = entry["entered_at"].as_str().unwrap().parse().unwrap();
    assert_eq!(check_entry(&draw, &list, &text, key).unwrap().entered_at, entered_at);
    let missing = EntryFault::Missing { entered_at };
    assert_eq!(check_entry(&draw, &without, &text, key), Err(missing));
    let said = commanded_check(&draw, &list, &text, Some(key)).unwrap();
    assert!(said.contains("The receipt is genuine") && said.contains("has number"), "{said}");
    let said = commanded_check(&draw, &without, &text, Some(key)).unwrap_err();
    assert!(said.contains("this proves that the office left it out"), "{said}");
    assert!(documented_check(&draw, &list, &text, Some(key)));

    let other_log = office.stranger().get(&format!("/programs/{}/log", other.slug)).await.json();
    let other_key = other_log["verifier_key"].as_str().unwrap();
    let with = |name: &str, value: &str| {
        let mut changed = entry.clone();
        changed[name] = value.into();
        changed.to_string()
    };
    let receipt = entry["receipt"].as_str().unwrap();
    let salt = entry["salt"].as_str().unwrap();
    let other_first = if salt.starts_with('A') { 'B' } else { 'A' };
    let other_salt = format!("{other_first}{}", &salt[1..]);
    let other_salt = with("receipt", &receipt.replace(salt, &other_salt));
    let other_draw = draw.replace(
        serde_json::from_str::<Value>(&draw).unwrap()["commitment"].as_str().unwrap(),
        &"00".repeat(32),
    );
    let place = people[2].get(&format!("/programs/{}/queue/receipt", concert.slug)).await.json();
    let of_place = with("receipt", place["receipt"].as_str().unwrap());
    for (draw, entry, key, fault) in [
        (&draw, &text, other_key, ReceiptFault::NotSigned.into()),
        (&draw, &text, "nonsense", ReceiptFault::Key.into()),
        (&draw, &other_salt, key, ReceiptFault::Changed.into()),
        (&draw, &of_place, key, ReceiptFault::Malformed.into()),
        (&draw, &with("receipt", &"x".repeat(5_000)), key, ReceiptFault::Malformed.into()),
        (&draw, &"{}".to_owned(), key, ReceiptFault::Malformed.into()),
        (&other_draw, &text, key, EntryFault::OtherDraw),
        (&"{}".to_owned(), &text, key, DrawFault::Malformed.into()),
    ] {
        assert_eq!(check_entry(draw, &list, entry, key), Err(fault));
        assert!(commanded_check(draw, &list, entry, Some(key)).is_err(), "{fault}");
        assert!(!documented_check(draw, &list, entry, Some(key)), "{fault}");
    }
    office.close().await;
}

#[sqlx::test]
async fn staff_are_warned_when_the_database_has_the_secret_of_the_seed(db: PgPool) {
    const SECRET: (&str, &str) = ("LOG_SECRET", "a secret of the logs that is long enough");
    for (settings, is_warned) in [(&[][..], true), (&[SECRET][..], false)] {
        let office = Office::open_with(db.clone(), 1, settings).await;
        let concert = Concert::with(&db, coming()).await;
        let admin = office.employ("boss", "ADMIN").await;
        let page = admin.visit(&format!("/admin/programs/{}/queue", concert.program_id)).await;
        assert_eq!(page.body.contains("LOG_SECRET is not set"), is_warned);
        office.close().await;
    }
}
