//! Opening draws, against the rows that they are made of.

use sqlx::PgPool;
use stagedoor::{
    entry_queue::Draws,
    verify::{Invariant, verify_database},
};

use super::run;
use crate::support::{Concert, ConcertOptions, app, pool, read_one_with};

/// Draws among six entries, breaks the draw with `sql`, and returns what is seen of it.
async fn seen(db: &PgPool, sql: &str) -> Vec<(Invariant, String)> {
    let concert = Concert::with(db, ConcertOptions::default()).await;
    let seed = "sha256('a seed')";
    let entered = format!(
        "set session_replication_role = replica;
         insert into queue_draws (program_id, opens_at, nonce, commitment)
         select id, on_sale_at, sha256('a nonce'), sha256({seed}) from programs where id = '{id}';
         insert into accounts (id, email, name, password_hash)
         select gen_random_uuid(), 'early-' || i || '@example.com', 'Early', 'none'
         from generate_series(1, 6) i;
         insert into queue_draw_entries (id, program_id, account_id, commitment)
         select gen_random_uuid(), '{id}', id, sha256(id::text::bytea) from accounts
         where name = 'Early';
         set session_replication_role = origin",
        id = concert.program_id
    );
    run(db, entered).await;
    // Its seed is no secret of the office's, so the worker closes and does not reveal.
    let draws = Draws::new(&app(db).await).unwrap();
    draws.run().await.unwrap();
    let step = "select step from queue_draws where program_id = $1";
    assert_eq!(read_one_with::<String>(db, step, concert.program_id).await, "CLOSED");
    assert_eq!(violations(db).await, Vec::new());
    run(db, format!("update queue_draws set revealed_at = now(), seed = {seed}")).await;
    draws.run().await.unwrap();
    assert_eq!(read_one_with::<String>(db, step, concert.program_id).await, "DRAWN");
    assert_eq!(violations(db).await, Vec::new());
    run(db, format!("set session_replication_role = replica; {sql}")).await;
    violations(db).await
}

async fn violations(db: &PgPool) -> Vec<(Invariant, String)> {
    let found = verify_database(&pool(db, 1)).await.unwrap().into_iter();
    found.map(|found| (found.invariant, found.sentence)).collect()
}

macro_rules! seen_broken {
    ($($name:ident: $sentence:expr, $sql:expr;)*) => {$(
        #[sqlx::test]
        async fn $name(db: PgPool) {
            let found = seen(&db, $sql).await;
            assert_eq!(found, [(Invariant::DrawsAreDrawn, $sentence.to_owned())]);
        }
    )*};
}

const ENTRIES: &str = "has other entries than those that were closed";
const NUMBERS: &str = "gave other numbers than those that were drawn";

seen_broken! {
    two_drawn_numbers_that_were_exchanged: NUMBERS,
        "update queue_tokens set queue_number = -queue_number where queue_number in (2, 3);
         update queue_tokens set queue_number = 5 + queue_number where queue_number < 0";
    an_entry_that_was_slipped_in: ENTRIES,
        "insert into queue_draw_entries (id, program_id, account_id, commitment)
         select gen_random_uuid(), program_id, gen_random_uuid(), sha256('me too') from queue_draws";
    an_entry_that_was_taken_out: ENTRIES,
        "delete from queue_draw_entries
         where id = (select id from queue_draw_entries order by id limit 1)";
    another_seed_that_suits_somebody: NUMBERS,
        "alter table queue_draws drop constraint queue_draws_seed_is_committed;
         update queue_draws set seed = sha256('a better seed')";
    a_head_of_another_list: ENTRIES, "update queue_draws set head = sha256('another list')";
    a_beacon_that_nobody_signed: "has a beacon that its chain did not sign for the announced round",
        "alter table queue_draws drop constraint queue_draws_beacon_or_reason;
         update queue_draws set beacon_signature = substring(sha512('a beacon') for 48)";
}

#[sqlx::test]
async fn a_number_given_before_its_turn_is_seen_while_numbers_are_drawn(db: PgPool) {
    let found = seen(
        &db,
        "update queue_draws set numbered = 3, numbered_at = null;
         delete from queue_tokens where queue_number in (4, 6)",
    )
    .await;
    let invariants: Vec<Invariant> = found.iter().map(|(invariant, _)| *invariant).collect();
    assert_eq!(invariants, [Invariant::NumbersAreWhole], "{found:?}");
    let told = "has given 4 numbers, 4 of them distinct, from 1 to 5; the next is 7; 6 are being drawn, 3 given";
    assert_eq!(found[0].1, told);
}
