//! Storms of people who give back, wish, accept and decline at once.

use serde_json::json;
use sqlx::PgPool;
use tokio::task::JoinHandle;
use uuid::Uuid;

use super::{SoldOut, enrich, give_back, pay};
use crate::support::{Answer, count, order_path, read_all, read_one, run_sql, run_sql_with, storm};

/// Rounds in which offers are answered, at most.
const ROUNDS_MAX: usize = 200;

/// A hundred seats are freed in one storm, of which some offers are paid, some given back and some lapse
/// meanwhile.
#[sqlx::test]
async fn of_three_hundred_wishes_a_hundred_freed_seats_pass_nobody_over(db: PgPool) {
    const SEATS: usize = 100;
    let house = SoldOut::with(db.clone(), SEATS, &[("TEST_EXPIRY_PERIOD_MS", "50")]).await;
    let people = house.office.crowd(3 * SEATS, "Wisher").await;
    enrich(&people).await;
    let wishes =
        storm(
            people.iter().enumerate().map(|(nth, person)| {
                let (person, path) = (house.office.moved(person, nth), house.path());
                async move {
                    person.post_json(&path, &json!({ "places": 1, "section": "Stalls" })).await
                }
            }),
        )
        .await;
    assert_eq!(
        count(&wishes, 201, ""),
        people.len(),
        "{:?}",
        wishes.iter().find(|a| a.status != 201)
    );

    let frees = (0..SEATS).map(|nth| {
        let (person, id) = (house.office.moved(&house.holders[nth], nth), house.reservations[nth]);
        tokio::spawn(async move { again_while_busy(|| give_back(&person, id)).await })
    });
    let frees: Vec<_> = frees.collect();
    for _ in 0..ROUNDS_MAX {
        let offers = live_offers(&db).await;
        if offers.is_empty() && frees.iter().all(JoinHandle::is_finished) {
            break;
        }
        // One in four is left to lapse.
        let (lapsing, answered) = offers.split_at(offers.len() / 4);
        let answers = storm(answered.iter().enumerate().map(|(nth, (id, owner))| {
            let person = people.iter().find(|person| person.account_id == *owner).unwrap();
            let (id, person) = (*id, house.office.moved(person, nth));
            async move {
                match nth % 3 {
                    0 => give_back(&person, id).await,
                    _ => pay(&person, id).await,
                }
            }
        }));
        tokio::join!(lapse(&db, lapsing), answers);
    }
    for freed in frees {
        let freed = freed.await.unwrap();
        assert_eq!(freed.status, 200, "{}", freed.body);
    }
    let offered = "select count(*) from wishes where status = 'OFFERED'";
    let live =
        "select count(*) from reservation_items i join reservations r on r.id = reservation_id
        where i.live and r.wish_id is not null";
    let free = "select count(*) from schedule_seats where status = 'AVAILABLE'";
    assert!(read_one::<i64>(&db, offered).await >= i64::try_from(SEATS).unwrap());
    // A seat is free only once no wish waits any more.
    if read_one::<i64>(&db, free).await > 0 {
        assert_eq!(
            read_one::<i64>(&db, "select count(*) from wishes where status = 'WAITING'").await,
            0
        );
    } else {
        assert_eq!(read_one::<i64>(&db, live).await, i64::try_from(SEATS).unwrap());
    }
    house.office.close().await;
}

/// Sends a change again for as long as others keep it from being decided.
pub(super) async fn again_while_busy<F>(change: impl Fn() -> F) -> Answer
where
    F: Future<Output = Answer>,
{
    const SENT_MAX: usize = 50;
    let mut answer = change().await;
    for _ in 1..SENT_MAX {
        if !matches!(answer.code().as_str(), "already-processing" | "unavailable") {
            break;
        }
        answer = change().await;
    }
    answer
}

/// Returns the offers that can be accepted, each with its account.
async fn live_offers(db: &PgPool) -> Vec<(Uuid, Uuid)> {
    let offers = "select array[id, account_id] from reservations
        where wish_id is not null and status = 'HELD' and expires_at > now()";
    let offers = read_all::<Vec<Uuid>>(db, offers).await;
    offers.into_iter().map(|offer| (offer[0], offer[1])).collect()
}

/// Lets offers reach their end.
async fn lapse(db: &PgPool, offers: &[(Uuid, Uuid)]) {
    let ids: Vec<Uuid> = offers.iter().map(|(id, _)| *id).collect();
    let lapse = "update reservations set created_at = created_at - interval '15 minutes',
            expires_at = expires_at - interval '15 minutes', version = version + 1
        where id = any($1) and status = 'HELD'";
    run_sql_with(db, lapse, ids).await;
}

/// An account that holds a place by itself while a wish of it is offered another stays under its cap.
#[sqlx::test]
async fn an_offer_and_an_own_hold_at_once_stay_under_the_cap(db: PgPool) {
    const ROUNDS: usize = 12;
    let house = SoldOut::with(db.clone(), ROUNDS, &[]).await;
    run_sql(&db, "update programs set places_per_account_max = 1").await;
    let people = house.office.crowd(ROUNDS, "Wisher").await;
    house.let_in(&people).await;
    for person in &people {
        assert_eq!(
            house.wish(person, json!({ "places": 1, "section": "Stalls" })).await.status,
            201
        );
    }
    run_sql(
        &db,
        "update zones set capacity = capacity + 100, remaining = remaining + 100,
         version = version + 1",
    )
    .await;
    let holds = people.iter().enumerate().map(|(nth, person)| {
        let (person, path) = (house.office.moved(person, nth), order_path(&house.concert));
        let order = json!({ "zone_id": house.concert.zone_id, "quantity": 1,
            "request_key": Uuid::now_v7() });
        let freeing = house.office.moved(&house.holders[nth], nth + 1);
        let id = house.reservations[nth];
        async move {
            let (held, freed) = tokio::join!(
                person.post_json(&path, &order),
                again_while_busy(|| give_back(&freeing, id))
            );
            assert_eq!(freed.status, 200, "{}", freed.body);
            held
        }
    });
    let answers = storm(holds).await;
    assert!(answers.iter().all(|answer| matches!(answer.status, 201 | 409 | 429)));
    let most =
        "select max(places) from (select account_id, sum(quantity) as places from reservations r
        join reservation_items i on i.reservation_id = r.id and i.live where r.wish_id is not null
        or account_id in (select account_id from wishes) group by account_id) own";
    assert_eq!(read_one::<i64>(&db, most).await, 1);
    house.office.close().await;
}

/// Of a wish and a seat that is given back at the same time, the seat is offered to the wish or the
/// wish is refused because it is free, and never neither.
#[sqlx::test]
async fn a_wish_that_comes_as_a_seat_is_freed_misses_nothing(db: PgPool) {
    const ROUNDS: usize = 10;
    let house = SoldOut::with(db.clone(), ROUNDS, &[]).await;
    let people = house.office.crowd(ROUNDS, "Wisher").await;
    for (nth, person) in people.iter().enumerate() {
        let holder = house.office.moved(&house.holders[nth], nth);
        let wish = || house.wish(person, json!({ "places": 1, "section": "Stalls" }));
        let (wished, freed) = tokio::join!(
            again_while_busy(wish),
            again_while_busy(|| give_back(&holder, house.reservations[nth]))
        );
        assert_eq!(freed.status, 200, "{}", freed.body);
        match wished.status {
            201 => drop(house.offer_of(person).await),
            _ => assert_eq!(wished.code(), "places-free", "{}", wished.body),
        }
        run_sql(
            &db,
            "update schedule_seats set status = 'BLOCKED', version = version + 1
             where status = 'AVAILABLE'",
        )
        .await;
    }
    house.office.close().await;
}
