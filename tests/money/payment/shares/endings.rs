//! Shares that are not paid with: each payer has the points back, and the places can be sold again.

use super::*;

#[sqlx::test]
async fn a_withdrawn_share_gives_the_points_back_and_its_place_to_the_holder(db: PgPool) {
    let party = Party::new(&db, 2, 2).await;
    let path = party.share_each(1).await.remove(0);
    let (bob, cas) = (&party.friends[0], &party.friends[1]);
    assert_eq!(pay_share(bob, &path).await.status, 201);
    refused(&withdraw(cas, &path).await, 409, "share-not-paid");
    let answer = withdraw(bob, &path).await;
    assert_eq!((answer.status, &answer.json()["status"]), (200, &json!("WITHDRAWN")));
    assert_eq!(withheld(&db, bob.account_id).await, 0);
    assert_eq!(party.left().await.len(), 2);
    for late in [pay_share(cas, &path).await, withdraw(bob, &path).await] {
        refused(&late, 410, "share-ended");
        assert_eq!(late.json()["share_status"], "WITHDRAWN");
    }
    // The place can be shared again, with another link.
    let again = party.share_each(1).await.remove(0);
    assert_ne!(again, path);
    assert_eq!(pay_share(cas, &again).await.status, 201);
    assert_eq!(party.pay_rest().await.json()["status"], "PAID");
    party.office.close().await;
}

#[sqlx::test]
async fn a_share_that_the_holder_takes_back_gives_the_points_back_and_says_so(db: PgPool) {
    let party = Party::new(&db, 3, 1).await;
    let paths = party.share_each(2).await;
    let bob = &party.friends[0];
    assert_eq!(pay_share(bob, &paths[0]).await.status, 201);
    let shares = party.shown().await["shares"].clone();
    for share in shares.as_array().unwrap() {
        let answer = party.take_back(&share["share_id"]).await;
        assert_eq!((answer.status, &answer.json()["status"]), (200, &json!("TAKEN_BACK")));
        refused(&party.take_back(&share["share_id"]).await, 410, "share-ended");
    }
    assert_eq!(withheld(&db, bob.account_id).await, 0);
    let told = read_all::<String>(&db, "select kind from outbox").await;
    assert_eq!(told, ["share-returned"], "whoever had paid is told, and nobody else");
    for path in &paths {
        refused(&pay_share(bob, path).await, 410, "share-ended");
    }
    // Nothing is shared any more: the holder pays all of it like any reservation.
    let paid = pay(&party.ada, party.id).await;
    assert_eq!((paid.status, &paid.json()["amount"]), (201, &json!(3 * PRICE)), "{}", paid.body);
    party.office.close().await;
}

#[sqlx::test]
async fn a_released_hold_gives_all_shares_back(db: PgPool) {
    let party = Party::new(&db, 3, 2).await;
    let paths = party.share_each(2).await;
    assert_eq!(pay_share(&party.friends[0], &paths[0]).await.status, 201);
    assert_eq!(party.pay_rest().await.status, 201);
    assert_eq!(cancel(&party.ada, party.id).await.status, 200);
    for person in [&party.ada, &party.friends[0]] {
        until("the points are back", async || withheld(&db, person.account_id).await == 0).await;
        assert_eq!(entries(&db, person.account_id, "PAYMENT").await, 0);
    }
    for (friend, path) in party.friends.iter().zip(&paths) {
        refused(&pay_share(friend, path).await, 410, "share-hold-over");
        refused(&withdraw(friend, path).await, 410, "share-hold-over");
        let seen = friend.get(path).await.json();
        assert_eq!(seen["status"], "RETURNED", "{seen}");
    }
    party.office.close().await;
}

#[sqlx::test]
async fn a_hold_that_runs_out_gives_all_shares_back(db: PgPool) {
    let party = Party::with(&db, OLD, 2, 1).await;
    let path = party.share_each(1).await.remove(0);
    let bob = &party.friends[0];
    assert_eq!(pay_share(bob, &path).await.status, 201);
    run_sql_with(&db, LAPSE, party.id).await;
    // From the end on nothing can be paid, whether or not a worker was there.
    refused(&party.pay_rest().await, 410, "hold-expired");
    refused(&withdraw(bob, &path).await, 410, "share-hold-over");
    until("the points are back", async || withheld(&db, bob.account_id).await == 0).await;
    assert_eq!(status_of(&db, party.id).await, "EXPIRED");
    assert_eq!(bob.get(&path).await.json()["status"], "RETURNED");
    let told = read_all::<String>(&db, "select kind from outbox").await;
    assert_eq!(told, ["share-returned"]);
    party.office.close().await;
}

#[sqlx::test]
async fn a_cancelled_program_gives_withheld_and_paid_shares_back(db: PgPool) {
    let party = Party::new(&db, 2, 1).await;
    let path = party.share_each(1).await.remove(0);
    let bob = &party.friends[0];
    assert_eq!(pay_share(bob, &path).await.status, 201);
    // Another reservation of the same program, which is paid together.
    let hold =
        Hold { seat_ids: &party.concert.seat_ids[2..4], refund_percent: 33, ..Hold::default() };
    let id = hold.write(&db, &party.concert, party.ada.account_id).await;
    let paid = Party { id, ..party };
    let other = paid.share_each(1).await.remove(0);
    assert_eq!(pay_share(&paid.friends[0], &other).await.status, 201);
    assert_eq!(paid.pay_rest().await.json()["status"], "PAID");

    let admin = paid.office.employ("boss", "ADMIN").await;
    let path = format!("/admin/programs/{}/cancellation", paid.concert.program_id);
    let answer = admin.post(&path, &[("version", "0"), ("reason", "flooded")]).await;
    assert!(answer.status < 400, "{}", answer.body);
    for person in [&paid.ada, &paid.friends[0]] {
        until("everything is back", async || {
            let first = if person.account_id == paid.ada.account_id { 1_000_000 } else { 100_000 };
            withheld(&db, person.account_id).await == 0
                && balance(&db, person.account_id).await == first
        })
        .await;
    }
    paid.office.close().await;
}

#[sqlx::test]
async fn points_of_a_hold_that_has_ended_can_be_spent_at_once(db: PgPool) {
    let party = Party::new(&db, 2, 1).await;
    let path = party.share_each(1).await.remove(0);
    let bob = &party.friends[0];
    assert_eq!(pay_share(bob, &path).await.status, 201);
    // Ended, and no worker has been there: the rows are written as the end of a hold writes them.
    let sql = "with ended as (
                   update reservations set status = 'CANCELLED', settled_at = now(),
                       version = version + 1
                   where id = $1 returning id
               ), items as (
                   update reservation_items set live = false
                   where reservation_id in (select id from ended) returning schedule_seat_id
               )
               update schedule_seats set status = 'AVAILABLE', version = version + 1
               where id in (select schedule_seat_id from items)";
    run_sql_with(&db, sql, party.id).await;
    let hold = Hold { seat_ids: &party.concert.seat_ids[2..4], ..Hold::default() };
    let id = hold.write(&db, &party.concert, bob.account_id).await;
    let paid = pay(bob, id).await;
    assert_eq!((paid.status, &paid.json()["balance"]), (201, &json!(0)), "{}", paid.body);
    party.office.close().await;
}

#[sqlx::test]
async fn a_hold_that_is_shared_can_be_prolonged_and_its_shares_with_it(db: PgPool) {
    let party = Party::with(&db, OLD, 2, 1).await;
    let path = party.share_each(1).await.remove(0);
    let bob = &party.friends[0];
    assert_eq!(pay_share(bob, &path).await.status, 201);
    let before = bob.get(&path).await.json()["expires_at"].clone();
    let renewed = party.ada.post(&format!("/reservations/{}/renewal", party.id), &()).await;
    assert_eq!(renewed.status, 200, "{}", renewed.body);
    let after = bob.get(&path).await.json()["expires_at"].clone();
    assert!(after.as_str() > before.as_str(), "{before} {after}");
    assert_eq!(party.pay_rest().await.json()["status"], "PAID");
    party.office.close().await;
}
