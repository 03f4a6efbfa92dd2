//! Giving a reservation back, once: before it is paid and after.

use serde_json::{Value, json};
use sqlx::PgPool;

use super::{PRICE, assert_sound, cancel, charge, pay, seats_and_tickets, status_of};
use crate::support::{
    Concert, ConcertOptions, Hold, Office, count, ledger::balance, read_one, run_sql, run_sql_with,
    storm,
};

#[sqlx::test]
async fn giving_a_hold_back_frees_the_seats_once(db: PgPool) {
    let office = Office::open(db.clone()).await;
    let concert = Concert::usual(&db).await;
    let (ada, bob) = (office.sign_in("ada").await, office.sign_in("bob").await);
    let hold = Hold { seat_ids: &concert.seat_ids[..2], places: 3, ..Hold::default() };
    let id = hold.write(&db, &concert, ada.account_id).await;
    assert_eq!(cancel(&bob, id).await.status, 404);
    let answers = storm((0..20).map(|idx| {
        let ada = office.moved(&ada, idx);
        async move { cancel(&ada, id).await }
    }))
    .await;
    assert_eq!(count(&answers, 200, ""), 1, "{answers:?}");
    assert_eq!(count(&answers, 409, "invalid-state"), 19, "{answers:?}");
    assert_eq!(status_of(&db, id).await, "CANCELLED");
    assert_eq!(seats_and_tickets(&db, id).await.0, ["AVAILABLE"; 2]);
    let remaining: i32 = read_one(&db, "select remaining from zones").await;
    assert_eq!(remaining, 100);
    office.close().await;
}

#[sqlx::test]
async fn a_refund_by_the_policy_of_the_reservation_happens_once(db: PgPool) {
    let office = Office::open(db.clone()).await;
    let concert = Concert::usual(&db).await;
    let ada = office.sign_in("ada").await;
    charge(&ada, 100_000).await;
    let hold =
        Hold { seat_ids: &concert.seat_ids[..1], places: 1, refund_percent: 70, ..Hold::default() };
    let id = hold.write(&db, &concert, ada.account_id).await;
    assert_eq!(pay(&ada, id).await.status, 201);
    // What the program says now is not what was shown then.
    run_sql(&db, "update programs set refund_percent = 10").await;
    let answers = storm((0..20).map(|idx| {
        let ada = office.moved(&ada, idx);
        async move { cancel(&ada, id).await }
    }))
    .await;
    assert_eq!(count(&answers, 200, ""), 1, "{answers:?}");
    assert_eq!(count(&answers, 409, "invalid-state"), 19, "{answers:?}");
    let refunded = answers.iter().find(|answer| answer.status == 200).unwrap().json();
    assert_eq!((&refunded["status"], &refunded["refunded"]), (&json!("REFUNDED"), &json!(56_000)));
    assert_eq!(balance(&db, ada.account_id).await, 100_000 - 80_000 + 56_000);
    let (seats, tickets) = seats_and_tickets(&db, id).await;
    assert_eq!((seats, tickets), (vec!["AVAILABLE".to_owned()], vec!["VOID".to_owned(); 2]));
    assert_sound(&office).await;
    office.close().await;
}

#[sqlx::test]
async fn too_late_or_with_a_used_ticket_there_is_no_refund(db: PgPool) {
    let office = Office::open(db.clone()).await;
    let concert = Concert::usual(&db).await;
    let ada = office.sign_in("ada").await;
    charge(&ada, 200_000).await;
    let late =
        Hold { seat_ids: &concert.seat_ids[..1], refund_ends_in_secs: -1, ..Hold::default() };
    let late = late.write(&db, &concert, ada.account_id).await;
    let used = Hold { seat_ids: &concert.seat_ids[1..3], ..Hold::default() };
    let used = used.write(&db, &concert, ada.account_id).await;
    assert_eq!(pay(&ada, late).await.status, 201);
    assert_eq!(pay(&ada, used).await.status, 201);
    run_sql_with(
        &db,
        "update tickets set status = 'USED', used_at = now() where id = (
         select t.id from tickets t join reservation_items i on i.id = t.reservation_item_id
         where i.reservation_id = $1 limit 1)",
        used,
    )
    .await;

    let refused = cancel(&ada, late).await;
    assert_eq!((refused.status, refused.code().as_str()), (409, "refund-over"));
    let refused = cancel(&ada, used).await;
    assert_eq!((refused.status, refused.code().as_str()), (409, "ticket-used"));
    assert!(matches!(refused.json()["used_at"], Value::String(_)), "{}", refused.body);
    assert_eq!(balance(&db, ada.account_id).await, 50_000);
    assert_eq!(seats_and_tickets(&db, used).await.0, ["RESERVED"; 2]);
    assert_sound(&office).await;

    // A cancelled program is refunded in full, at any time: by the first of the owner and the
    // worker.
    run_sql(&db, "update programs set status = 'CANCELLED', cancelled_at = now()").await;
    let refunded = cancel(&ada, late).await;
    match refunded.status {
        200 => assert_eq!(refunded.json()["refunded"], PRICE),
        _ => assert_eq!(refunded.code(), "invalid-state", "{}", refunded.body),
    }
    assert_eq!(status_of(&db, late).await, "REFUNDED");
    assert_sound(&office).await;
    office.close().await;
}

#[sqlx::test]
async fn paying_and_giving_back_at_once_ends_in_one_of_both(db: PgPool) {
    let office = Office::open(db.clone()).await;
    let options = ConcertOptions { seats: 30, ..ConcertOptions::default() };
    let concert = Concert::with(&db, options).await;
    for (person, seat) in office.crowd(30, "undecided").await.into_iter().zip(&concert.seat_ids) {
        charge(&person, PRICE).await;
        let hold = Hold { seat_ids: &[*seat], ..Hold::default() };
        let id = hold.write(&db, &concert, person.account_id).await;
        let twin = office.moved(&person, 1);
        let (paid, cancelled) = tokio::join!(pay(&person, id), cancel(&twin, id));
        assert!(paid.status < 500 && cancelled.status < 500, "{paid:?} {cancelled:?}");
        let status = status_of(&db, id).await;
        let expected = match (paid.status, cancelled.status) {
            (201, 200) => "REFUNDED",
            (201, 409) => "CONFIRMED",
            (409, 200) => "CANCELLED",
            other => panic!("{other:?}"),
        };
        assert_eq!(status, expected);
        let left = if expected == "CONFIRMED" { 0 } else { PRICE };
        assert_eq!(balance(&db, person.account_id).await, left);
    }
    assert_sound(&office).await;
    office.close().await;
}
