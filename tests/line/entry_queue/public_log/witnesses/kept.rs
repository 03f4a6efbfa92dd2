//! What an office keeps of its witnesses.

use sqlx::PgPool;
use stagedoor::verify::verify_database;

use super::{cosigned_with, office_key, open, origin_of, signed_by_the_office};
use crate::{
    entry_queue::{
        crowded, join,
        public_log::{checkpoint_with, log_path_of},
    },
    support::{
        ChildWitness, Concert, run_sql,
        signed_log::{cosigned_by, witness_key},
    },
};

#[sqlx::test]
async fn what_was_confirmed_never_becomes_less(db: PgPool) {
    let witness = ChildWitness::start(&[&office_key()]);
    let office = open(&db, &[witness.setting()]).await;
    let concert = Concert::with(&db, crowded()).await;
    let person = office.sign_in("ada").await;
    join(&person, &concert).await;
    cosigned_with(&person, &log_path_of(&concert), 1).await;
    for statement in [
        "update queue_log_witnesses set size = 0, checkpoint = null, cosignature = null,
            cosigned_at = null",
        "update queue_log_witnesses set checkpoint = 'other'",
        "update queue_log_witnesses set witness = 'other'",
    ] {
        let refused = sqlx::query(statement).execute(&db).await.unwrap_err().to_string();
        assert!(refused.contains("is append-only"), "{statement}: {refused}");
    }
    office.close().await;
}

#[sqlx::test]
async fn verify_sees_a_cosignature_of_another_tree_and_one_that_no_witness_made(db: PgPool) {
    let office = open(&db, &[]).await;
    let concert = Concert::with(&db, crowded()).await;
    let person = office.sign_in("ada").await;
    join(&person, &concert).await;
    checkpoint_with(&person, &concert, 1).await;
    let note = person.get(&format!("{}/checkpoint", log_path_of(&concert))).await.body;
    let text = format!("{}\n", note.split("\n\n").next().unwrap());
    let mut forked = signed_by_the_office(&origin_of(&concert));
    forked.entries.push("another".to_owned());
    let forked_note = forked.sign(&forked.text(1));
    let (name, seed) = ("witness.example/w1", [7; 32]);
    let key = witness_key(name, &seed);
    let line = |text: &str| cosigned_by(name, &seed, text);
    for (what, size, note, line, is_right) in [
        ("what was cosigned", 1_i64, &note, line(&text), true),
        ("another tree", 1, &forked_note, line(&forked.text(1)), false),
        ("a cosignature of another tree", 1, &note, line(&forked.text(1)), false),
        ("another witness's", 1, &note, cosigned_by(name, &[8; 32], &text), false),
        ("another log's", 1, &note.replace("/log\n", "/other\n"), line(&text), false),
        ("another size", 2, &note, line(&text), false),
    ] {
        run_sql(&db, "delete from queue_log_witnesses").await;
        sqlx::query(
            "insert into queue_log_witnesses
                 (program_id, kind, witness, size, checkpoint, cosignature, cosigned_at)
             values ($1, 'JOINS', $2, $3, $4, $5, now())",
        )
        .bind(concert.program_id)
        .bind(&key)
        .bind(size)
        .bind(note)
        .bind(line)
        .execute(&db)
        .await
        .unwrap();
        let found = verify_database(&office.app.db).await.unwrap();
        let found: Vec<String> = found.into_iter().map(|found| found.sentence).collect();
        let expected = "has a cosignature that is of another tree, or not by its witness";
        let expected = if is_right { vec![] } else { vec![expected.to_owned()] };
        assert_eq!(found, expected, "{what}");
    }
    office.close_as_it_is().await;
}
