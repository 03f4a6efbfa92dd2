//! Purchases that arrive together: their statements are shared.

use futures_util::future::join_all;
use sqlx::PgPool;
use uuid::Uuid;

use super::Counted;
use crate::support::{Concert, ConcertOptions, Person};

/// People who buy at once, the most round trips for each of them, and the most waits in series until all have
/// bought. A lone purchase makes 9 round trips, one after the other. The first to arrive is written alone while
/// the others gather; how those come to a few batches depends on the machine, and these bounds are twice what was
/// seen.
const CROWDS: [(usize, u64, u64); 2] = [(16, 15, 40), (64, 6, 60)];
/// Crowds that buy until one of them keeps to the bound: on a machine that is busy with other things
/// a crowd arrives one after the other, and there is nothing to share.
const TRIES: usize = 6;

#[sqlx::test]
async fn people_who_buy_at_once_share_their_round_trips(db: PgPool) {
    let counted = Counted::open(&db).await;
    for (n_people, each_max, series_max) in CROWDS {
        let trips_max = each_max * u64::try_from(n_people).unwrap();
        let (mut fewest, mut shortest) = (u64::MAX, u64::MAX);
        for nth in 0..TRIES {
            let (trips, series) = buy_at_once(&counted, n_people, nth).await;
            (fewest, shortest) = (fewest.min(trips), shortest.min(series));
            if fewest <= trips_max && shortest <= series_max {
                break;
            }
        }
        assert!(fewest <= trips_max, "{n_people} purchases made {fewest} round trips");
        assert!(shortest <= series_max, "{n_people} purchases took {shortest} waits in series");
    }
    counted.office.close().await;
}

/// Lets the nth crowd of so many people buy, and returns the round trips that they made together, and the waits
/// in series until the last had bought.
async fn buy_at_once(counted: &Counted, n_people: usize, nth: usize) -> (u64, u64) {
    let options = ConcertOptions {
        seats: i32::try_from(n_people).unwrap(),
        queue_capacity: Some(1_000),
        ..ConcertOptions::default()
    };
    let concert = Concert::with(&counted.office.db, options).await;
    let people = counted.office.crowd(n_people, &format!("of {n_people} {nth}")).await;
    for person in &people {
        counted.enter(person, &concert).await;
        let charged = person.post("/wallet/charges", &[("amount", 1_000_000)]).await;
        assert_eq!(charged.status, 201, "{}", charged.body);
    }
    counted.settle().await;
    let ((before, _), n_over) = (counted.trips(), counted.waits.count());
    counted.waits.hold(true);
    let held = join_all((0..n_people).map(|nth| hold(&people[nth], &concert, nth))).await;
    join_all(people.iter().zip(&held).map(|(person, held)| pay(person, held))).await;
    let n_over = counted.waits.count() - n_over;
    counted.waits.hold(false);
    counted.settle().await;
    let (after, _) = counted.trips();
    (after - before, n_over)
}

/// Holds the nth seat, and returns the reservation's id.
async fn hold(person: &Person, concert: &Concert, nth: usize) -> String {
    let path = format!("/schedules/{}/reservations", concert.schedule_id);
    let form = [
        ("seat_ids", concert.seat_ids[nth].to_string()),
        ("request_key", Uuid::now_v7().to_string()),
    ];
    let held = person.post(&path, &form).await;
    assert_eq!(held.status, 201, "{}", held.body);
    held.json()["reservation_id"].as_str().unwrap().to_owned()
}

async fn pay(person: &Person, reservation_id: &str) {
    let path = format!("/reservations/{reservation_id}/payment");
    let paid = person.post(&path, &[("request_key", Uuid::now_v7().to_string())]).await;
    assert_eq!(paid.status, 201, "{}", paid.body);
}
