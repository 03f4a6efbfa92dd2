//! Requests that ran out: the points are their sender's again, for either side that looks first.

use sqlx::PgPool;
use stagedoor::wallet::expire_transfers;

use super::{act, assert_sound, lapse, purse, sent, sleepy, statuses};
use crate::{
    support::{
        Concert, Hold, count,
        ledger::{balance, entries},
        read_one,
    },
    wallet::charge,
};

#[sqlx::test]
async fn what_ran_out_is_shown_at_once_and_written_by_whoever_touches_it(db: PgPool) {
    let office = sleepy(&db).await;
    let (ada, bob) = (office.sign_in("ada").await, office.sign_in("bob").await);
    charge(&ada, 100).await;
    let path = sent(&db, &ada, &bob, 60).await;
    lapse(&db).await;
    // Reading writes nothing, yet the points are usable again.
    assert_eq!(purse(&ada).await, (100, 0, 100));
    assert_eq!(bob.get(&path).await.json()["status"], "EXPIRED");
    assert_eq!(statuses(&db).await, ["PENDING"]);
    for _twice in 0..2 {
        let late = act(&bob, &path, "acceptance").await;
        assert_eq!((late.status, late.code().as_str()), (410, "expired"));
    }
    assert_eq!(statuses(&db).await, ["PENDING", "EXPIRED"]);
    assert_eq!(entries(&db, ada.account_id, "TRANSFER_RELEASE").await, 1);
    // The end was fixed when the request was made, whatever the setting says later.
    sent(&db, &ada, &bob, 1).await;
    let secs: i64 = read_one(
        &db,
        "select round(extract(epoch from expires_at - created_at))::bigint from transfers
         where status = 'PENDING'",
    )
    .await;
    assert_eq!(secs, 3 * 86_400);
    assert_sound(&office).await;
    office.close().await;
}

#[sqlx::test]
async fn points_of_a_request_that_ran_out_pay_a_reservation(db: PgPool) {
    let office = sleepy(&db).await;
    let concert = Concert::usual(&db).await;
    let (ada, bob) = (office.sign_in("ada").await, office.sign_in("bob").await);
    charge(&ada, 50_000).await;
    sent(&db, &ada, &bob, 10_000).await;
    let hold = Hold { seat_ids: &concert.seat_ids[..1], ..Hold::default() };
    let id = hold.write(&db, &concert, ada.account_id).await;
    let path = format!("/reservations/{id}/payment");
    let short = ada.post(&path, &()).await;
    assert_eq!((short.status, short.code().as_str()), (402, "insufficient-points"));
    assert_eq!(short.json()["balance"], 40_000);
    lapse(&db).await;
    assert_eq!(ada.post(&path, &()).await.status, 201);
    assert_eq!(purse(&ada).await, (0, 0, 0));
    assert_sound(&office).await;
    office.close().await;
}

#[sqlx::test]
async fn every_instance_expires_what_ran_out_and_none_twice(db: PgPool) {
    let office = sleepy(&db).await;
    let (senders, bob) = (office.crowd(30, "sender").await, office.sign_in("bob").await);
    for sender in &senders {
        charge(sender, 20).await;
        for _ in 0..5 {
            sent(&db, sender, &bob, 1).await;
        }
    }
    lapse(&db).await;
    let ticks = (0..4).map(|_| expire_transfers(&office.app));
    for tick in futures_util::future::join_all(ticks).await {
        tick.unwrap();
    }
    let open: i64 = read_one(&db, "select count(*) from transfers where status <> 'EXPIRED'").await;
    assert_eq!(open, 0);
    for sender in &senders {
        assert_eq!(entries(&db, sender.account_id, "TRANSFER_RELEASE").await, 5);
    }
    assert_sound(&office).await;
    office.close().await;
}

#[sqlx::test]
async fn of_accepting_taking_back_and_running_out_exactly_one_wins(db: PgPool) {
    let office = sleepy(&db).await;
    let (ada, bob) = (office.sign_in("ada").await, office.sign_in("bob").await);
    charge(&ada, 10_000).await;
    let mut n_accepted = 0;
    for round in 0..30 {
        let path = sent(&db, &ada, &bob, 100).await;
        if round % 3 == 2 {
            lapse(&db).await;
        }
        let (ada, bob) = (office.moved(&ada, round), office.moved(&bob, round + 1));
        let (accepted, cancelled, rejected, ticked) = tokio::join!(
            act(&bob, &path, "acceptance"),
            act(&ada, &path, "cancellation"),
            act(&bob, &path, "rejection"),
            expire_transfers(&office.app),
        );
        ticked.unwrap();
        let answers = [accepted, cancelled, rejected];
        let n_won = count(&answers, 200, "");
        assert_eq!(n_won, usize::from(round % 3 != 2), "{answers:?}");
        let n_told = count(&answers, 409, "already-settled") + count(&answers, 410, "expired");
        assert_eq!(n_won + n_told, 3, "{answers:?}");
        n_accepted += i64::from(answers[0].status == 200);
    }
    assert_eq!(balance(&db, bob.account_id).await, n_accepted * 100);
    assert_eq!(purse(&ada).await.1, 0);
    assert_sound(&office).await;
    office.close().await;
}
