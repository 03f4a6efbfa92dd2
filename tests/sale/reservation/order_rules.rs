//! Rules of a program for each order: how many places it has at least, and that it leaves no single seat.

use chrono::{DateTime, Utc};
use serde_json::json;
use sqlx::PgPool;
use uuid::Uuid;

use super::{admit, admit_logged, hold, hold_places, order_path};
use crate::support::{
    Answer, Concert, ConcertOptions, Office, Person, count, read_one, run_sql, run_sql_with, storm,
};

/// Seats of a row.
const ROW: usize = 10;

async fn best(person: &Person, concert: &Concert, n: i64) -> Answer {
    let order = json!({ "best": n, "section": "Stalls", "request_key": Uuid::now_v7() });
    person.post_json(&order_path(concert), &order).await
}

/// An office with two instances, whose concert has `rows` rows and the rule of single seats.
async fn without_single_seats(db: &PgPool, rows: usize) -> (Office, Concert) {
    let options = ConcertOptions {
        seats: i32::try_from(rows * ROW).unwrap(),
        places_per_account_max: 100,
        ..ConcertOptions::default()
    };
    let concert = Concert::with(db, options).await;
    run_sql(db, "update programs set no_single_seats = true").await;
    (Office::open(db.clone()).await, concert)
}

#[sqlx::test]
async fn an_order_that_would_leave_one_seat_alone_is_refused_and_says_which(db: PgPool) {
    let (office, concert) = without_single_seats(&db, 2).await;
    let (ada, bob) = (office.sign_in("ada").await, office.sign_in("bob").await);
    admit(&db, &concert, &[ada.clone(), bob.clone()]).await;
    let seats = &concert.seat_ids;
    let refused = hold(&ada, &concert, &seats[1..3]).await;
    assert_eq!((refused.status, refused.code().as_str()), (409, "single-seat"), "{}", refused.body);
    assert_eq!(refused.json()["seat_ids"], json!([seats[0]]));
    let between = hold(&ada, &concert, &[seats[3], seats[5]]).await;
    assert_eq!(between.json()["seat_ids"], json!([seats[4]]), "{}", between.body);
    let form =
        [("seat_ids", seats[1]), ("seat_ids", seats[2])].map(|(name, id)| (name, id.to_string()));
    let page = ada.submit(&order_path(&concert), &form).await;
    assert_eq!(page.status, 409);
    assert!(
        page.body.contains("leave a single seat") && page.body.contains("seat 1"),
        "{}",
        page.body
    );

    // With the seat itself, one further, or where no other choice would spare one.
    assert_eq!(hold(&ada, &concert, &seats[..3]).await.status, 201);
    let refused = hold(&bob, &concert, &seats[4..6]).await;
    assert_eq!(refused.json()["seat_ids"], json!([seats[3]]), "{}", refused.body);
    assert_eq!(hold(&bob, &concert, &seats[7..10]).await.status, 201);
    // Four are left: three of them leave one, wherever they are.
    let tight = hold(&bob, &concert, &seats[3..6]).await;
    assert_eq!(tight.status, 201, "{}", tight.body);
    office.verify().await;
    office.close().await;
}

#[sqlx::test]
async fn the_best_seats_keep_to_the_rule(db: PgPool) {
    let (office, concert) = without_single_seats(&db, 1).await;
    let ada = office.sign_in("ada").await;
    admit(&db, &concert, std::slice::from_ref(&ada)).await;
    for n in [3, 3, 2, 2] {
        let answer = best(&ada, &concert, n).await;
        assert_eq!(answer.status, 201, "{}", answer.body);
    }
    assert_eq!(best(&ada, &concert, 1).await.code(), "sold-out", "ten seats, none alone");
    office.close().await;
}

/// The seats beside an order are locked with it: of two orders at once that would leave a seat alone
/// together, the second is refused, at whichever instance.
#[sqlx::test]
async fn two_orders_at_once_do_not_leave_a_seat_alone_together(db: PgPool) {
    const ROWS: usize = 40;
    let (office, concert) = without_single_seats(&db, ROWS).await;
    let people = office.crowd(2 * ROWS, "Pair").await;
    admit_logged(&office, &concert, &people).await;
    // The first two of a row, and those one seat further: first the latter and then the former is
    // allowed, as nothing else would then be left for two in that gap.
    let answers = storm(people.iter().enumerate().map(|(nth, person)| {
        // Each instance has the first two of one row and the others of the next.
        let (person, concert) = (office.moved(person, nth + nth / 2), concert.clone());
        async move {
            let first = ROW * (nth / 2) + if nth % 2 == 0 { 0 } else { 3 };
            hold(&person, &concert, &concert.seat_ids[first..first + 2]).await
        }
    }))
    .await;
    let n_refused = count(&answers, 409, "single-seat");
    assert_eq!(count(&answers, 201, ""), 2 * ROWS - n_refused);
    for refused in answers.iter().filter(|answer| answer.status == 409) {
        let left = refused.json()["seat_ids"][0].as_i64().unwrap();
        let place = concert.seat_ids.iter().position(|id| *id == left).unwrap();
        assert_eq!(place % ROW, 2, "{}", refused.body);
    }
    let held_at = "select (select min(r.created_at) from reservation_items i
            join reservations r on r.id = i.reservation_id where i.schedule_seat_id = s.id)
        from unnest($1::bigint[]) with ordinality s (id, nth) order by nth";
    let held_at: Vec<Option<DateTime<Utc>>> =
        sqlx::query_scalar(held_at).bind(&concert.seat_ids).fetch_all(&db).await.unwrap();
    for row in held_at.chunks(ROW) {
        assert!(row[0].is_some(), "the front is held in every row");
        assert!(row[3].is_none() || row[3] <= row[0], "{row:?}");
    }
    assert_eq!(held_at.chunks(ROW).filter(|row| row[3].is_none()).count(), n_refused);
    office.verify().await;
    office.close().await;
}

/// An instance knows a program for a second; an order is decided by what the program says once the seats
/// are locked.
#[sqlx::test]
async fn the_rule_of_single_seats_holds_from_the_moment_it_is_made_and_no_longer(db: PgPool) {
    let (office, concert) = without_single_seats(&db, 4).await;
    let people = office.crowd(4, "Ada").await;
    admit(&db, &concert, &people).await;
    let map = format!("/schedules/{}", concert.schedule_id);
    for (nth, person) in people.iter().enumerate() {
        let row = &concert.seat_ids[ROW * nth..ROW * (nth + 1)];
        let (before, after) = (nth % 2 == 0, nth % 2 == 1);
        run_sql_with(&db, "update programs set no_single_seats = $1", before).await;
        tokio::time::sleep(std::time::Duration::from_millis(1_100)).await;
        assert_eq!(person.visit(&map).await.status, 200, "the instance has read the program");
        run_sql_with(&db, "update programs set no_single_seats = $1", after).await;
        let order = match nth {
            0 | 1 => hold(person, &concert, &row[1..3]).await,
            _ => best(person, &concert, 3).await,
        };
        if nth == 1 {
            assert_eq!(order.code(), "single-seat", "{}", order.body);
            assert_eq!(order.json()["seat_ids"], json!([row[0]]));
        } else {
            assert_eq!(order.status, 201, "{}", order.body);
        }
    }
    office.verify().await;
    office.close().await;
}

#[sqlx::test]
async fn an_order_has_as_many_places_as_its_program_wants_at_least(db: PgPool) {
    let office = Office::open(db.clone()).await;
    let concert = Concert::usual(&db).await;
    run_sql(&db, "update programs set places_per_order_min = 2").await;
    let ada = office.sign_in("ada").await;
    admit(&db, &concert, std::slice::from_ref(&ada)).await;
    for few in [
        hold(&ada, &concert, &concert.seat_ids[..1]).await,
        hold_places(&ada, &concert, 1).await,
        best(&ada, &concert, 1).await,
    ] {
        assert_eq!((few.status, few.code().as_str()), (422, "too-few"), "{}", few.body);
        assert_eq!(few.json()["places_min"], 2);
    }
    assert_eq!(hold(&ada, &concert, &concert.seat_ids[..2]).await.status, 201);
    assert_eq!(hold_places(&ada, &concert, 2).await.status, 201);
    for path in
        [format!("/programs/{}", concert.slug), format!("/schedules/{}", concert.schedule_id)]
    {
        let page = ada.visit(&path).await;
        assert!(page.body.contains("At least 2 seats per order."), "{path}: {}", page.body);
        assert!(!page.has("select option[value='1']"), "{path}: {}", page.body);
    }
    office.close().await;
}

/// Orders of one seat, half of them made once the office has asked for two at least: of those none is held,
/// at whichever instance and whatever it has read of the program before.
#[sqlx::test]
async fn once_an_order_has_two_places_at_least_nobody_gets_one(db: PgPool) {
    const HALF: usize = 30;
    let options = ConcertOptions { seats: 60, ..ConcertOptions::default() };
    let concert = Concert::with(&db, options).await;
    let office = Office::open(db.clone()).await;
    let people = office.crowd(2 * HALF, "Single").await;
    admit_logged(&office, &concert, &people).await;
    let one_each = |people: &[Person], first: usize| {
        let orders = people.iter().enumerate().map(|(nth, person)| {
            let (person, concert) = (office.moved(person, nth), concert.clone());
            async move { hold(&person, &concert, &[concert.seat_ids[first + nth]]).await }
        });
        storm(orders.collect::<Vec<_>>())
    };
    let (before, after) = people.split_at(HALF);
    let rule = run_sql(&db, "update programs set places_per_order_min = 2");
    let (beside, ()) = tokio::join!(one_each(before, 0), rule);
    let n_held = count(&beside, 201, "");
    assert_eq!(n_held + count(&beside, 422, "too-few"), HALF, "{beside:?}");
    let late = one_each(after, HALF).await;
    assert_eq!(count(&late, 422, "too-few"), HALF, "{late:?}");
    let held = "select count(*) from schedule_seats where status = 'HELD'";
    assert_eq!(usize::try_from(read_one::<i64>(&db, held).await), Ok(n_held));
    office.verify().await;
    office.close().await;
}
