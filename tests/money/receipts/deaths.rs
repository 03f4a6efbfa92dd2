//! Processes that die while they book.

use sqlx::PgPool;
use uuid::Uuid;

use super::{booked, numbers, sums};
use crate::support::{ChildInstance, Concert, Death, Hold, Office, Purchase, read_one};

#[sqlx::test]
async fn a_worker_that_dies_while_it_numbers_leaves_no_gap_and_gives_no_number_twice(db: PgPool) {
    let mut office = Office::open_with(db.clone(), 1, &[]).await;
    let concert = Concert::usual(&db).await;
    let ada = office.sign_in("ada").await;
    let deaths = [
        Death::Writing("sale_entries"),
        Death::Writing("sale_entry_lines"),
        Death::Writing("receipts"),
        Death::Writing("receipt_progress"),
        Death::Committing("receipts"),
    ];
    for (nth, (death, seat)) in (1..).zip(deaths.into_iter().zip(&concert.seat_ids)) {
        let hold = Hold { seat_ids: std::slice::from_ref(seat), ..Hold::default() };
        death.set(&db).await;
        Purchase::make(&db, &concert, &ada, hold).await;
        death.reached(&db).await;
        // The worker of this office waits in the trigger: it is killed like a process whose connection is cut.
        death.over(&db).await;
        booked(&db, nth).await;
        assert_eq!(numbers(&db).await, (1..=nth).collect::<Vec<i64>>(), "{death:?}");
        let next: i64 = read_one(&db, "select next_number from receipt_progress").await;
        assert_eq!(next, nth + 1, "{death:?}");
    }
    let (ledger, entries) = sums(&db).await;
    assert_eq!(ledger, entries);
    // A process of its own goes on where another was killed.
    office.leave().await;
    let prefix = format!("test-{}", Uuid::new_v4());
    let settings = [("HTTP_WORKERS", "1"), ("LOG", "error"), ("REDIS_PREFIX", prefix.as_str())];
    let mut process = ChildInstance::start_with(&office, &settings).await;
    let ada = process.moved(&ada);
    let hold = Hold { seat_ids: &concert.seat_ids[6..7], ..Hold::default() };
    let death = Death::Writing("receipts");
    death.set(&db).await;
    Purchase::make(&db, &concert, &ada, hold).await;
    death.reached(&db).await;
    process.kill();
    death.over(&db).await;
    assert_eq!(numbers(&db).await.len(), 5, "nothing of it is left");
    let _next = ChildInstance::start_with(&office, &settings).await;
    booked(&db, 6).await;
    assert_eq!(numbers(&db).await, [1, 2, 3, 4, 5, 6]);
    office.close_as_it_is().await;
}
