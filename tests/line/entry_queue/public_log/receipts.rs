//! Receipts: what is refused, and what older tokens and changed secrets come to.

use base64::{Engine, engine::general_purpose::STANDARD};
use serde_json::{Value, json};
use sqlx::PgPool;
use stagedoor::entry_queue::{ReceiptFault, check_receipt};

use super::{checkpoint_with, proven_receipt_of, receipt_of};
use crate::{
    entry_queue::{crowded, join},
    support::{Concert, Office, Person, run_sql},
};

#[sqlx::test]
async fn a_receipt_that_was_changed_or_is_of_another_log_is_refused(db: PgPool) {
    let office = Office::open(db.clone()).await;
    let (concert, other) =
        (Concert::with(&db, crowded()).await, Concert::with(&db, crowded()).await);
    let people = office.crowd(3, "Ada").await;
    for concert in [&concert, &other] {
        for person in &people {
            assert_eq!(join(person, concert).await.status, 201);
        }
        checkpoint_with(&people[0], concert, 3).await;
    }
    let right = proven_receipt_of(&people[1], &concert).await;
    let foreign = proven_receipt_of(&people[1], &other).await;
    let key = right["verifier_key"].as_str().unwrap();
    let checked = check_receipt(&right.to_string(), key).unwrap();
    let account_id = people[1].account_id;
    assert_eq!(checked.account_id.map(|account_id| account_id.0), Some(account_id));

    let with = |field: &str, value: Value| {
        let mut changed = right.clone();
        changed[field] = value;
        changed.to_string()
    };
    let edited = |field: &str, from: &str, to: &str| {
        let text = right[field].as_str().unwrap();
        assert!(text.contains(from), "{text}");
        with(field, json!(text.replacen(from, to, 1)))
    };
    let proof = right["proof"].as_str().unwrap();
    let sibling = proof.lines().nth(2).unwrap();
    let whole = right.to_string();
    let strange = people[0].account_id.to_string();
    for (receipt, fault) in [
        (with("queue_number", json!(1)), ReceiptFault::Changed),
        (with("joined_at", json!("2026-01-01T00:00:00Z")), ReceiptFault::Changed),
        (with("leaf_hash", foreign["leaf_hash"].clone()), ReceiptFault::Changed),
        (edited("receipt", "\n2\n", "\n1\n"), ReceiptFault::Changed),
        (edited("receipt", &account_id.to_string(), &strange), ReceiptFault::Changed),
        (with("receipt", foreign["receipt"].clone()), ReceiptFault::NotSigned),
        (with("proof", foreign["proof"].clone()), ReceiptFault::Proof),
        (edited("proof", "index 1", "index 0"), ReceiptFault::NotInLog),
        (edited("proof", "index 1", "index 3"), ReceiptFault::NotInLog),
        (edited("proof", "index 1", "index -1"), ReceiptFault::Proof),
        (edited("proof", sibling, &STANDARD.encode([0; 32])), ReceiptFault::NotInLog),
        (edited("proof", &format!("{sibling}\n"), ""), ReceiptFault::NotInLog),
        (edited("proof", sibling, &format!("{sibling}\n{sibling}")), ReceiptFault::NotInLog),
        (edited("proof", "\n3\n", "\n4\n"), ReceiptFault::Proof),
        (with("proof", json!("")), ReceiptFault::Proof),
        (with("receipt", json!("")), ReceiptFault::Malformed),
        (whole[..whole.len() / 2].to_owned(), ReceiptFault::Malformed),
        (String::new(), ReceiptFault::Malformed),
        (" ".repeat(1_000_000), ReceiptFault::Malformed),
    ] {
        assert_eq!(check_receipt(&receipt, key), Err(fault), "{receipt:.500}");
    }
    let other_key = foreign["verifier_key"].as_str().unwrap();
    assert_eq!(check_receipt(&whole, other_key), Err(ReceiptFault::NotSigned));
    assert_eq!(check_receipt(&whole, "no key"), Err(ReceiptFault::Key));
    office.close().await;
}

#[sqlx::test]
async fn a_token_of_an_older_version_gets_its_entry_and_its_receipt(db: PgPool) {
    let office = Office::open(db.clone()).await;
    let concert = Concert::with(&db, crowded()).await;
    let people = office.crowd(3, "Old").await;
    for (person, number) in people.iter().zip(1_i64..) {
        sqlx::query(
            "insert into queue_tokens (id, program_id, account_id, queue_number)
             values (gen_random_uuid(), $1, $2, $3)",
        )
        .bind(concert.program_id)
        .bind(person.account_id)
        .bind(number)
        .execute(&db)
        .await
        .unwrap();
    }
    run_sql(&db, "update queue_numbers set next_number = 4").await;
    checkpoint_with(&people[0], &concert, 3).await;
    let receipt = proven_receipt_of(&people[2], &concert).await;
    let key = receipt["verifier_key"].as_str().unwrap();
    let checked = check_receipt(&receipt.to_string(), key).unwrap();
    assert_eq!((checked.queue_number.0, checked.log_size), (3, Some(3)));
    office.close().await;
}

#[sqlx::test]
async fn a_log_whose_secret_changed_rests(db: PgPool) {
    let secret = |text: &'static str| [("LOG_SECRET", text)];
    let first = secret("the first secret of this office, long enough");
    let office = Office::open_with(db.clone(), 1, &first).await;
    let concert = Concert::with(&db, crowded()).await;
    let people = office.crowd(2, "Ada").await;
    join(&people[0], &concert).await;
    checkpoint_with(&people[0], &concert, 1).await;
    let mut office = office;
    office.leave().await;

    let second = secret("another secret of this office, long enough");
    let office = Office::open_with(db.clone(), 1, &second).await;
    let people: Vec<Person> = people.iter().map(|person| office.moved(person, 0)).collect();
    join(&people[1], &concert).await;
    assert_eq!(receipt_of(&people[1], &concert).await["code"], "receipt-unavailable");
    assert_eq!(checkpoint_with(&people[0], &concert, 1).await.len(), 5);
    office.close().await;
}

/// Runs the program as a person types it, without any setting, and returns its exit code and what
/// it said on both outputs.
async fn typed(receipt: &str, key: &str) -> (i32, String) {
    let path = std::env::temp_dir().join(uuid::Uuid::new_v4().to_string());
    std::fs::write(&path, receipt).unwrap();
    let mut program = tokio::process::Command::new(env!("CARGO_BIN_EXE_stagedoor"));
    program.arg("check-receipt").arg(&path).args(["--key", key]).env_clear();
    let output = program.output().await.unwrap();
    std::fs::remove_file(&path).unwrap();
    let said = [output.stdout, output.stderr].concat();
    (output.status.code().unwrap(), String::from_utf8(said).unwrap())
}

#[sqlx::test]
async fn the_command_says_what_a_receipt_proves(db: PgPool) {
    let office = Office::open(db.clone()).await;
    let concert = Concert::with(&db, crowded()).await;
    let ada = office.sign_in("ada").await;
    join(&ada, &concert).await;
    let receipt = proven_receipt_of(&ada, &concert).await;
    let key = receipt["verifier_key"].as_str().unwrap();
    let (code, said) = typed(&receipt.to_string(), key).await;
    assert_eq!(code, 0, "{said}");
    for part in ["The receipt is genuine.", "Number 1, given at ", "Its size then: 1."] {
        assert!(said.contains(part), "{said}");
    }
    let changed = receipt.to_string().replace("\\n1\\n", "\\n2\\n");
    let (code, said) = typed(&changed, key).await;
    assert_eq!((code, said.trim()), (1, "The receipt was changed after it was signed."));
    office.close().await;
}
