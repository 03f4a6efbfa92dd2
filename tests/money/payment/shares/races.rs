//! The last payment beside the end of the hold: all is paid, with tickets, or all is back.

use super::*;
use crate::support::{run_sql, until_locks_wait};

const ROUNDS: usize = 12;

/// How a round must end: everything paid, or everything back.
async fn assert_all_or_nothing(db: &PgPool, party: &Party, bob: &Person, is_paid: bool) {
    let (ada, bob) = (party.ada.account_id, bob.account_id);
    let sql = "select count(*) from tickets t
               join reservation_items i on i.id = t.reservation_item_id
               where i.reservation_id = $1 and t.status = 'VALID'";
    let n_tickets: i64 = read_one_with(db, sql, party.id).await;
    let n_payments: i64 =
        read_one_with(db, "select count(*) from payments where reservation_id = $1", party.id)
            .await;
    let all = if is_paid { 2 } else { 0 };
    assert_eq!((n_tickets, n_payments), (all, all));
    until("nothing is withheld", async || {
        withheld(db, ada).await == 0 && withheld(db, bob).await == 0
    })
    .await;
}

#[sqlx::test]
async fn the_last_payment_and_the_release_of_the_hold_do_not_both_happen(db: PgPool) {
    let mut party = Party::new(&db, 1, 1).await;
    charge(&party.friends[0], 1_000_000).await;
    for round in 0..ROUNDS {
        let seats = &party.concert.seat_ids[round + 1..round + 2];
        let hold = Hold { seat_ids: seats, places: 1, ..Hold::default() };
        party.id = hold.write(&db, &party.concert, party.ada.account_id).await;
        let path = party.share_each(1).await.remove(0);
        assert_eq!(party.pay_rest().await.status, 201);
        let (bob, ada) = (party.friends[0].clone(), party.office.moved(&party.ada, round));
        let (paid, released) = tokio::join!(pay_share(&bob, &path), cancel(&ada, party.id));
        let is_paid = status_of(&db, party.id).await == "CONFIRMED";
        if is_paid {
            assert_eq!(paid.json()["status"], "PAID", "{}", paid.body);
            // A release that came later found a paid reservation, with a ticket of bob's; one that had
            // read it before the payment finds that it has changed.
            let told = released.code();
            assert_eq!(released.status, 409, "{}", released.body);
            assert!(["ticket-handed-over", "invalid-state"].contains(&told.as_str()), "{told}");
        } else {
            assert_eq!(released.status, 200, "{}", released.body);
            refused(&paid, 410, "share-hold-over");
        }
        assert_all_or_nothing(&db, &party, &bob, is_paid).await;
        // The next round is not about the cap of the account.
        run_sql(&db, "update reservations set places_max = 1000").await;
    }
    party.office.close().await;
}

/// The payment waits for the row until the hold has ended: it is judged by the clock after the wait.
#[sqlx::test]
async fn a_last_payment_that_waited_until_the_end_of_the_hold_is_refused(db: PgPool) {
    let party = Party::with(&db, OLD, 2, 1).await;
    let path = party.share_each(1).await.remove(0);
    assert_eq!(party.pay_rest().await.status, 201);
    let mut blocker = db.begin().await.unwrap();
    sqlx::query("select from reservations where id = $1 for update")
        .bind(party.id)
        .execute(&mut *blocker)
        .await
        .unwrap();
    let bob = party.friends[0].clone();
    let paying = tokio::spawn({
        let (bob, path) = (bob.clone(), path.clone());
        async move { pay_share(&bob, &path).await }
    });
    until_locks_wait(&mut db.acquire().await.unwrap(), 1).await;
    // The end comes while the payment waits.
    sqlx::query(LAPSE).bind(party.id).execute(&mut *blocker).await.unwrap();
    blocker.commit().await.unwrap();
    refused(&paying.await.unwrap(), 410, "share-hold-over");
    assert_all_or_nothing(&db, &party, &bob, false).await;
    until("the hold has expired", async || status_of(&db, party.id).await == "EXPIRED").await;
    party.office.close().await;
}

#[sqlx::test]
async fn a_withdrawal_beside_the_last_payment_leaves_all_paid_or_one_place_open(db: PgPool) {
    let party = Party::new(&db, 2, 1).await;
    let path = party.share_each(1).await.remove(0);
    let bob = &party.friends[0];
    assert_eq!(pay_share(bob, &path).await.status, 201);
    let (last, withdrawn) = tokio::join!(party.pay_rest(), withdraw(bob, &path));
    assert_eq!(last.status, 201, "{}", last.body);
    if withdrawn.status == 200 {
        // The rest was one place or both, whichever the payment found.
        match last.json()["status"].as_str().unwrap() {
            "PAID" => assert_eq!(last.json()["amount"], 2 * PRICE),
            _ => assert_eq!(party.left().await.len(), 1),
        }
    } else {
        refused(&withdrawn, 410, "share-hold-over");
        assert_eq!(last.json()["status"], "PAID");
    }
    party.office.close().await;
}

#[sqlx::test]
async fn the_holder_pays_alone_or_a_friend_pays_a_share_and_never_both(db: PgPool) {
    let mut party = Party::new(&db, 1, 1).await;
    charge(&party.friends[0], 1_000_000).await;
    for round in 0..ROUNDS {
        let seats = &party.concert.seat_ids[round + 1..round + 2];
        let hold = Hold { seat_ids: seats, places: 1, ..Hold::default() };
        party.id = hold.write(&db, &party.concert, party.ada.account_id).await;
        let path = party.share_each(1).await.remove(0);
        let (bob, ada) = (party.friends[0].clone(), party.office.moved(&party.ada, round));
        let (shared, alone) = tokio::join!(pay_share(&bob, &path), pay(&ada, party.id));
        if alone.status == 201 {
            refused(&shared, 410, "share-hold-over");
        } else {
            refused(&alone, 409, "shares-withheld");
            assert_eq!(shared.status, 201, "{}", shared.body);
            assert_eq!(party.pay_rest().await.json()["status"], "PAID");
        }
        // The next round is not about the cap of the account.
        run_sql(&db, "update reservations set places_max = 1000").await;
    }
    party.office.close().await;
}
