//! The process dies in the middle of giving a program back or of purging a queue. The next instance
//! goes on with it by itself.

use sqlx::{AssertSqlSafe, PgPool};
use stagedoor::verify;

use crate::support::{
    ChildInstance, Concert, ConcertOptions, Death, Hold, Office, Person, Purchase, acts, count,
    eventually,
    ledger::{balance, entries},
    run_sql, storm,
};

const BUYERS: usize = 40;
/// More than the workers give back in one batch.
const HOLDS: usize = 230;
/// More than the workers take away in two.
const WAITING: usize = 2_300;

/// One figure of the database.
async fn figure(db: &PgPool, what: &str) -> i64 {
    let question = format!("select count(*) from {what}");
    sqlx::query_scalar(AssertSqlSafe(question)).fetch_one(db).await.unwrap()
}

/// Waits until a figure is at least that high.
async fn until(db: &PgPool, what: &str, least: i64) {
    crate::support::until(what, async || figure(db, what).await >= least).await;
}

async fn join_all(office: &Office, concert: &Concert) {
    let people = office.crowd(WAITING, "queue").await;
    let ids: Vec<_> = people.iter().map(|person| person.account_id).collect();
    sqlx::query(
        "with standing as (
             insert into queue_tokens (id, program_id, account_id, queue_number)
             select gen_random_uuid(), $1, id, next_number - 1 + nth
             from queue_numbers, unnest($2::uuid[]) with ordinality as p (id, nth)
             where program_id = $1
             returning 1)
         update queue_numbers set next_number = next_number + (select count(*) from standing)
         where program_id = $1",
    )
    .bind(concert.program_id)
    .bind(&ids)
    .execute(&office.db)
    .await
    .unwrap();
}

/// A purchase of each person, agreed to be given back by half, and a hold in every other seat.
async fn sell(office: &Office, concert: &Concert, people: &[Person]) -> Vec<Purchase> {
    let db = &office.db;
    let mut bought = Vec::new();
    for (idx, person) in people.iter().enumerate() {
        let seats = &concert.seat_ids[idx..=idx];
        let hold = Hold { seat_ids: seats, places: 1, refund_percent: 50, ..Hold::default() };
        bought.push(Purchase::make(db, concert, person, hold).await);
    }
    for idx in 0..HOLDS {
        let seats = &concert.seat_ids[BUYERS + idx..=BUYERS + idx];
        let hold = Hold { seat_ids: seats, ..Hold::default() };
        hold.write(db, concert, people[idx % BUYERS].account_id).await;
    }
    bought
}

/// Each person has their points again, once, and no seat, ticket or place.
async fn assert_everything_went_back(db: &PgPool, people: &[Person]) {
    for person in people {
        assert_eq!(balance(db, person.account_id).await, 1_000_000);
        assert_eq!(entries(db, person.account_id, "REFUND").await, 1);
    }
    for (what, expected) in [
        ("reservations where status in ('HELD', 'CONFIRMED')", 0),
        ("reservation_items where live", 0),
        ("tickets where status = 'VOID'", 2 * 40),
        ("schedule_seats where status = 'AVAILABLE'", 300),
        ("zones where remaining = capacity", 1),
    ] {
        assert_eq!(figure(db, what).await, expected, "{what}");
    }
}

/// Every invariant that is broken. The instances that were stopped took their connection
/// to Redis along, so the first question may go nowhere.
async fn violations(office: &Office) -> Vec<String> {
    let found = eventually("an answer of Redis", async || {
        verify::verify(&office.app.db, &office.app.redis).await
    });
    found.await.iter().map(ToString::to_string).collect()
}

#[sqlx::test]
async fn a_cancellation_is_finished_however_often_its_process_dies(db: PgPool) {
    let mut office = Office::open_with(db.clone(), 1, &[]).await;
    let options =
        ConcertOptions { seats: 300, queue_capacity: Some(1), ..ConcertOptions::default() };
    let concert = Concert::with(&db, options).await;
    run_sql(&db, "update programs set queue_paused_at = now()").await;
    let admin = office.employ("admin", "ADMIN").await;
    let people = office.crowd(BUYERS, "ada").await;
    let bought = sell(&office, &concert, &people).await;
    join_all(&office, &concert).await;
    office.leave().await;

    // Between two batches: buyers and waiting people linger, the holds go first.
    let (refund, purge) = (Death::Writing("tickets"), Death::Writing("queue_tokens"));
    refund.set(&db).await;
    purge.set(&db).await;
    let mut child = ChildInstance::start(&office).await;
    let path = format!("/admin/programs/{}/cancellation", concert.program_id);
    let form = [("version", "0"), ("reason", "the singer is ill")];
    assert_eq!(child.moved(&admin).post(&path, &form).await.status, 200);
    until(&db, "reservations where status = 'CANCELLED'", 200).await;
    child.kill();
    assert_eq!(figure(&db, "tickets where status = 'VALID'").await, 2 * 40);

    // In a batch of refunds, before their commit.
    let mut child = ChildInstance::start(&office).await;
    until(&db, "reservations where status = 'CANCELLED'", 230).await;
    refund.reached(&db).await;
    child.kill();
    refund.over(&db).await;
    purge.over(&db).await;
    assert_eq!(figure(&db, "reservations where status = 'REFUNDED'").await, 0);
    assert_eq!(figure(&db, "queue_tokens where status = 'WAITING'").await, 2_300);

    // While their commit is on its way.
    let commit = Death::Committing("point_transactions");
    commit.set(&db).await;
    let mut child = ChildInstance::start(&office).await;
    commit.reached(&db).await;
    child.kill();
    commit.over(&db).await;
    let refunded = figure(&db, "reservations where status = 'REFUNDED'").await;
    assert!((1..=40).contains(&refunded), "{refunded}");

    // Two at once finish it, while the buyers ask for their points themselves.
    let children = [ChildInstance::start(&office).await, ChildInstance::start(&office).await];
    let asked = people.iter().zip(&bought).enumerate().map(|(idx, (person, bought))| {
        let person = children[idx % 2].moved(person);
        let path = format!("/reservations/{}/cancellation", bought.reservation_id);
        async move { person.post(&path, &()).await }
    });
    let answers = storm(asked).await;
    assert_eq!(count(&answers, 200, "") + count(&answers, 409, "invalid-state"), BUYERS);
    until(&db, "reservations where status = 'REFUNDED'", 40).await;
    until(&db, "queue_tokens where status = 'CANCELLED'", 2_300).await;
    run_sql(&db, "update programs set cancelled_at = cancelled_at - interval '1 minute'").await;
    until(&db, "programs where wound_down_at is not null", 1).await;

    assert_everything_went_back(&db, &people).await;
    let told = children[0].moved(&admin).get(&path).await.json()["progress"].clone();
    assert_eq!((&told["is_over"], &told["waiting"]), (&true.into(), &0.into()), "{told}");
    assert_eq!((&told["done"], &told["refunded"]), (&270.into(), &(80_000 * 40).into()));
    assert_eq!(violations(&office).await, Vec::<String>::new());
    assert_eq!(acts(&db).await, ["program-cancelled"]);
}

#[sqlx::test]
async fn a_purge_goes_on_after_its_process_died_and_nobody_watches(db: PgPool) {
    let mut office = Office::open_with(db.clone(), 1, &[]).await;
    let options = ConcertOptions { queue_capacity: Some(1), ..ConcertOptions::default() };
    let concert = Concert::with(&db, options).await;
    run_sql(&db, "update programs set queue_paused_at = now()").await;
    let admin = office.employ("admin", "ADMIN").await;
    let late = office.sign_in("late").await;
    join_all(&office, &concert).await;
    office.leave().await;

    let death = Death::Writing("queue_tokens");
    death.set(&db).await;
    let mut child = ChildInstance::start(&office).await;
    let path = format!("/admin/programs/{}/queue", concert.program_id);
    let why = [("reason", "the wrong program was announced")];
    let ordered = child.moved(&admin).post(&format!("{path}/purge"), &why).await;
    assert_eq!(ordered.status, 200, "{}", ordered.body);
    assert_eq!(ordered.json()["left"], 2_300);
    death.reached(&db).await;
    child.kill();
    death.over(&db).await;
    assert_eq!(figure(&db, "queue_tokens where status = 'WAITING'").await, 2_300);

    let child = ChildInstance::start(&office).await;
    let late = child.moved(&late);
    let joined = late.post(&format!("/programs/{}/queue", concert.slug), &()).await;
    assert_eq!((joined.status, &joined.json()["queue_number"]), (201, &2_301.into()));
    until(&db, "queue_purges where ended_at is not null", 1).await;
    assert_eq!(figure(&db, "queue_tokens where status = 'CANCELLED'").await, 2_300);
    let state = late.get(&format!("/programs/{}/queue", concert.slug)).await.json();
    assert_eq!((&state["status"], &state["ahead"]), (&"WAITING".into(), &0.into()), "{state}");
    let page = child.moved(&admin).visit(&path).await;
    assert!(page.body.contains("The line is cleared"), "{}", page.body);
    assert_eq!(violations(&office).await, Vec::<String>::new());
    assert_eq!(acts(&db).await, ["queue-purged"]);
}
