//! Types that are edited while a crowd orders.

use serde_json::json;
use sqlx::PgPool;
use uuid::Uuid;

use super::{House, order_path, typed};
use crate::support::{count, read_all, storm};

/// What each paid, with the id of the terms: the price of `percent` of 50,000 points.
async fn charged(db: &PgPool) -> Vec<(Uuid, i64)> {
    sqlx::query_as("select price_type_id, unit_price from reservation_items order by id")
        .fetch_all(db)
        .await
        .unwrap()
}

#[sqlx::test]
async fn nobody_is_charged_what_was_not_shown_while_a_type_is_edited(db: PgPool) {
    let house = House::open(&db, 100).await;
    // A zone has a place for each of a hundred.
    let (seats, zone) = (house.seats(0..20).to_vec(), house.concert.zone_id);
    let mut id = house.make("Child", json!({ "percent": 50 })).await;
    let shown = id;
    let path = order_path(&house.concert);
    let orders = house.people.iter().enumerate().map(|(nth, person)| {
        let (person, path, seat) = (person.clone(), path.clone(), seats.get(nth).copied());
        let order = match seat {
            // No total: the terms alone say what was shown.
            Some(seat) => json!({ "seat_ids": [seat], "seat_types": typed(seat, shown) }),
            None => json!({ "zone_id": zone, "quantities": format!("{shown}:1"), "total": 15_000 }),
        };
        async move { person.post_json(&path, &order).await }
    });
    let edits = async {
        for percent in [60, 70, 80] {
            id = house.replace(id, "Child", json!({ "percent": percent })).await;
        }
    };
    let (answers, ()) = tokio::join!(storm(orders), edits);
    let (n_held, n_changed) = (count(&answers, 201, ""), count(&answers, 409, "price-changed"));
    assert_eq!(n_held + n_changed + count(&answers, 429, "waiting"), 100, "{n_held}, {n_changed}");
    let charged = charged(&db).await;
    assert_eq!(charged.len(), n_held);
    assert!(
        charged.iter().all(|(id, price)| *id == shown && [25_000, 15_000].contains(price)),
        "{charged:?}"
    );
    // From here on no type has the old terms.
    let seat = seats[0];
    let late =
        house.order(0, json!({ "seat_ids": [seat], "seat_types": typed(seat, shown) })).await;
    assert_eq!(late.status, 409, "{}", late.body);
    house.office.close().await;
}

/// The same without the id of the terms: a request for a type by its name is charged what it costs
/// by then. It shows that the check above would see it.
#[sqlx::test]
async fn canary_a_type_by_its_name_is_charged_at_another_price(db: PgPool) {
    let house = House::open(&db, 20).await;
    let shown = house.make("Child", json!({ "percent": 50 })).await;
    house.replace(shown, "Child", json!({ "percent": 80 })).await;
    for (person, seat) in house.people.iter().zip(house.seats(0..20)) {
        take_by_name(&db, &house, person.account_id, *seat).await;
    }
    let charged = charged(&db).await;
    let n_wrong = charged.iter().filter(|(id, price)| *id != shown || *price != 25_000).count();
    assert_eq!(n_wrong, 20, "{charged:?}");
    house.office.close_as_it_is().await;
}

async fn take_by_name(db: &PgPool, house: &House, account_id: Uuid, seat: i64) {
    sqlx::query(
        "with held as (
             insert into reservations (id, account_id, schedule_id, program_id, total, expires_at,
                 hold_ttl_secs, refund_until, refund_percent, places_max)
             values (gen_random_uuid(), $1, $2, $3, 40000, now() + interval '5 minutes', 300, now(), 100, 8)
             returning id
         )
         insert into reservation_items (id, reservation_id, schedule_id, schedule_seat_id, unit_price,
             price_type_id, ordinary_price)
         select gen_random_uuid(), held.id, $2, $4, 500 * t.percent, t.id, 50000
         from held, price_types t where t.name = 'Child' and t.withdrawn_at is null",
    )
    .bind(account_id)
    .bind(house.concert.schedule_id)
    .bind(house.concert.program_id)
    .bind(seat)
    .execute(db)
    .await
    .unwrap();
}

#[sqlx::test]
async fn of_two_edits_at_once_one_is_made_and_the_type_has_one_row_of_terms(db: PgPool) {
    let house = House::open(&db, 1).await;
    let id = house.make("Child", json!({ "percent": 50 })).await;
    let path = format!("{}/{id}", house.types_path());
    let edits = (1..=10).map(|percent| {
        let (admin, path) = (house.admin.clone(), path.clone());
        let edit = json!({ "version": 1, "name": "Child", "percent": percent });
        async move { admin.post_json(&path, &edit).await }
    });
    let answers = storm(edits).await;
    assert_eq!(count(&answers, 200, ""), 1);
    assert_eq!(count(&answers, 409, "changed-meanwhile"), 9);
    let current: Vec<i64> =
        read_all(&db, "select count(*) from price_types group by withdrawn_at is null").await;
    assert_eq!(current, [1, 1]);
    house.office.close().await;
}
