//! What must not be given while the database stands still, nor again after it went back.

use sqlx::PgPool;
use stagedoor::verify::Invariant::NothingIsGivenTwice;

use super::{HEALTHY, breaks, run, violations};

/// Setback that was open for an hour, in which everything of the healthy office was made.
const SETBACK: &str = "
    insert into setbacks (id, noticed_at, known_beats, found_beats, found_at, is_other, ended_at)
    values ('00000000-0000-0000-0000-00000000b2b2', now() - interval '10 years', 9, 8, now(), false, now() + interval '1 hour')";

macro_rules! made_in_a_setback {
    ($($name:ident: $table:literal;)*) => {$(
        #[sqlx::test]
        async fn $name(db: PgPool) {
            breaks(db.clone(), NothingIsGivenTwice, SETBACK).await;
            let found = violations(&db).await;
            assert!(found.iter().any(|found| found.subject.starts_with($table)), "{found:#?}");
        }
    )*};
}

made_in_a_setback! {
    a_place_in_line_of_a_setback_is_a_violation: "queue token";
    a_hold_of_a_setback_is_a_violation: "reservation";
    a_payment_of_a_setback_is_a_violation: "payment";
}

#[sqlx::test]
async fn a_number_that_was_given_before_is_a_violation_and_a_gap_in_the_numbers_is_none(
    db: PgPool,
) {
    run(&db, HEALTHY.to_owned()).await;
    let passed_over = "
        insert into setbacks (id, noticed_at, known_beats, found_beats, found_at, is_other, ended_at)
        values ('00000000-0000-0000-0000-00000000b2b2', now() + interval '1 hour', 9, 8, now(), false, now() + interval '2 hours');
        insert into queue_number_gaps
        select program_id, next_number, next_number + 2, '00000000-0000-0000-0000-00000000b2b2' from queue_numbers limit 1;
        update queue_numbers n set next_number = next_number + 3
        from queue_number_gaps g where g.program_id = n.program_id";
    run(&db, passed_over.to_owned()).await;
    assert_eq!(violations(&db).await, Vec::new());
    run(&db, "update queue_number_gaps set first = 1".to_owned()).await;
    let found = violations(&db).await;
    assert!(found.iter().any(|found| found.invariant == NothingIsGivenTwice), "{found:#?}");
}
