//! What is refused, with a clear answer and nothing changed.

use super::*;

#[sqlx::test]
async fn the_holder_pays_no_share_with_a_link(db: PgPool) {
    let party = Party::new(&db, 2, 0).await;
    let path = party.share_each(1).await.remove(0);
    refused(&pay_share(&party.ada, &path).await, 422, "share-own-link");
    refused(&withdraw(&party.ada, &path).await, 409, "share-not-paid");
    assert_eq!(withheld(&db, party.ada.account_id).await, 0);
    party.office.close().await;
}

#[sqlx::test]
async fn nobody_else_makes_reads_or_ends_shares_of_a_hold(db: PgPool) {
    let party = Party::new(&db, 2, 1).await;
    let place = party.left().await.remove(0);
    party.share_each(1).await;
    let share_id = party.shown().await["shares"][0]["share_id"].as_str().unwrap().to_owned();
    let (bob, id) = (&party.friends[0], party.id);
    let path = format!("/reservations/{id}/shares");
    let form = json!({ "places": [place] });
    refused(&bob.post_json(&path, &form).await, 404, "not-found");
    refused(&bob.get(&path).await, 404, "not-found");
    let end = format!("{path}/{share_id}/cancellation");
    refused(&bob.post(&end, &()).await, 404, "not-found");
    refused(&bob.post(&format!("/reservations/{id}/rest/payment"), &()).await, 404, "not-found");
    let unknown = "/shares/AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA";
    for nonsense in [unknown, "/shares/AAAA", "/shares/!"] {
        refused(&bob.get(nonsense).await, 404, "not-found");
        refused(&pay_share(bob, nonsense).await, 404, "not-found");
        refused(&withdraw(bob, nonsense).await, 404, "not-found");
    }
    let stranger = party.office.stranger();
    assert_eq!(stranger.get(unknown).await.status, 401);
    party.office.close().await;
}

#[sqlx::test]
async fn places_that_make_no_share_are_refused(db: PgPool) {
    let party = Party::new(&db, 2, 0).await;
    let left = party.left().await;
    for nonsense in [&[][..], &["nonsense".to_owned()], &[left[0].replace(":1", ":0")]] {
        refused(&party.ask_for(nonsense).await, 422, "invalid");
    }
    let second = left[0].replace(":1", ":2");
    refused(&party.ask_for(&[second]).await, 422, "share-no-places");
    let foreign = format!("{}:1", Uuid::now_v7());
    refused(&party.ask_for(&[left[0].clone(), foreign]).await, 422, "share-no-places");
    party.share(&left[..1]).await;
    refused(&party.ask_for(&left).await, 409, "share-place-taken");
    assert_eq!(party.shown().await["shares"].as_array().unwrap().len(), 1);
    party.office.close().await;
}

#[sqlx::test]
async fn seven_friends_pay_with_the_holder_and_no_eighth(db: PgPool) {
    let office = Office::open(db.clone()).await;
    let concert = Concert::usual(&db).await;
    let ada = office.sign_in("ada").await;
    let hold = Hold { places: 9, ..Hold::default() };
    let id = hold.write(&db, &concert, ada.account_id).await;
    run_sql_with(&db, "update reservations set places_max = 20 where id = $1", id).await;
    let party = Party { office, concert, ada, friends: Vec::new(), id };
    party.share_each(7).await;
    let left = party.left().await;
    let refusal = party.ask_for(&left[..1]).await;
    refused(&refusal, 409, "share-limit");
    assert_eq!(refusal.json()["limit"], 7);
    party.office.close().await;
}

#[sqlx::test]
async fn a_hold_is_not_shared_without_end(db: PgPool) {
    let party = Party::new(&db, 1, 0).await;
    for _ in 0..50 {
        party.share_each(1).await;
        let shares = party.shown().await["shares"].as_array().unwrap().clone();
        assert_eq!(party.take_back(&shares[shares.len() - 1]["share_id"]).await.status, 200);
    }
    let left = party.left().await;
    refused(&party.ask_for(&left).await, 409, "share-too-often");
    assert_eq!(pay(&party.ada, party.id).await.status, 201);
    party.office.close().await;
}

#[sqlx::test]
async fn who_lacks_points_pays_no_share(db: PgPool) {
    let party = Party::new(&db, 2, 2).await;
    let paths = party.share_each(1).await;
    let (bob, cas) = (&party.friends[0], &party.friends[1]);
    let gift =
        json!({ "to": crate::support::email_of(&db, cas.account_id).await, "amount": 50_001 });
    assert_eq!(bob.post_json("/wallet/transfers", &gift).await.status, 201);
    let short = pay_share(bob, &paths[0]).await;
    refused(&short, 402, "insufficient-points");
    let problem = short.json();
    assert_eq!((&problem["balance"], &problem["needed"]), (&json!(49_999), &json!(PRICE)));
    // A debt is not lent by a share either.
    let sql = "update wallets set debt = 60000 where account_id = $1";
    run_sql_with(&db, sql, cas.account_id).await;
    refused(&pay_share(cas, &paths[0]).await, 402, "insufficient-points");
    run_sql_with(&db, "update wallets set debt = 0 where account_id = $1", cas.account_id).await;
    let dee = party.office.sign_in("dee").await;
    refused(&pay_share(&dee, &paths[0]).await, 402, "insufficient-points");
    assert_eq!(pay_share(cas, &paths[0]).await.status, 201);
    party.office.close().await;
}

#[sqlx::test]
async fn paying_alone_ends_open_shares_and_waits_for_withheld_ones(db: PgPool) {
    let party = Party::new(&db, 3, 1).await;
    let paths = party.share_each(2).await;
    let bob = &party.friends[0];
    assert_eq!(pay_share(bob, &paths[0]).await.status, 201);
    refused(&pay(&party.ada, party.id).await, 409, "shares-withheld");
    assert_eq!(balance(&db, party.ada.account_id).await, 1_000_000);
    assert_eq!(withdraw(bob, &paths[0]).await.status, 200);
    let paid = pay(&party.ada, party.id).await;
    assert_eq!((paid.status, &paid.json()["amount"]), (201, &json!(3 * PRICE)), "{}", paid.body);
    refused(&pay_share(bob, &paths[1]).await, 410, "share-hold-over");
    assert_eq!(bob.get(&paths[1]).await.json()["status"], "TAKEN_BACK");
    party.office.close().await;
}

#[sqlx::test]
async fn a_paid_share_is_paid_once_and_a_paid_reservation_is_not_shared(db: PgPool) {
    let party = Party::new(&db, 2, 2).await;
    let path = party.share_each(1).await.remove(0);
    assert_eq!(pay_share(&party.friends[0], &path).await.status, 201);
    refused(&pay_share(&party.friends[1], &path).await, 409, "share-taken");
    refused(&pay_share(&party.friends[0], &path).await, 409, "share-taken");
    assert_eq!(party.pay_rest().await.json()["status"], "PAID");
    refused(&pay_share(&party.friends[1], &path).await, 410, "share-hold-over");
    refused(&party.pay_rest().await, 409, "already-paid");
    refused(&pay(&party.ada, party.id).await, 409, "already-paid");
    let shares = party.shown().await["shares"].clone();
    refused(&party.take_back(&shares[0]["share_id"]).await, 409, "already-paid");
    let place = shares[0]["places"][0]["place"].as_str().unwrap().to_owned();
    refused(&party.ask_for(&[place]).await, 409, "already-paid");
    party.office.close().await;
}

#[sqlx::test]
async fn where_addresses_must_be_confirmed_a_friend_confirms_first(db: PgPool) {
    let party = Party::new(&db, 2, 1).await;
    let path = party.share_each(1).await.remove(0);
    let sql = "update programs set join_confirmed_address = true where id = $1";
    run_sql_with(&db, sql, party.concert.program_id).await;
    let bob = &party.friends[0];
    let unconfirmed = "update accounts set email_confirmed_at = null where id = $1";
    run_sql_with(&db, unconfirmed, bob.account_id).await;
    let answer = pay_share(bob, &path).await;
    refused(&answer, 403, "share-unconfirmed");
    assert_eq!(answer.json()["confirmation_url"], "/account/address/confirmation");
    let confirmed = "update accounts set email_confirmed_at = now() where id = $1";
    run_sql_with(&db, confirmed, bob.account_id).await;
    assert_eq!(pay_share(bob, &path).await.status, 201);
    party.office.close().await;
}
