//! Refunds of what was paid together: each payer has back what that payer paid, by the agreed share.

use super::*;
use crate::support::{agree_on, email_of};

/// A reservation that ada and two friends paid together.
async fn paid_party(db: &PgPool, refund_percent: i32) -> Party {
    let party = Party::with(db, Hold { refund_percent, ..Hold::default() }, 3, 2).await;
    // Prices at which a rounded total differs from rounded parts.
    let sql = "with prices as (
                   update reservation_items set unit_price = 33333
                   where reservation_id = $1 returning reservation_id, unit_price)
               update reservations set total = 99999 where id = $1";
    run_sql_with(db, sql, party.id).await;
    let paths = party.share_each(2).await;
    for (friend, path) in party.friends.iter().zip(&paths) {
        assert_eq!(pay_share(friend, path).await.status, 201);
    }
    assert_eq!(party.pay_rest().await.json()["status"], "PAID");
    party
}

/// Hands the one ticket of a friend to ada, whose ticket says who had it first.
async fn hand_back(db: &PgPool, party: &Party, friend: &Person) {
    let listed = friend.get("/tickets").await.json();
    let code = listed["tickets"][0]["code"].as_str().unwrap().to_owned();
    let form = json!({ "to": email_of(db, party.ada.account_id).await });
    let offered = friend.post_json(&format!("/tickets/{code}/hand-overs"), &form).await;
    assert_eq!(offered.status, 201, "{}", offered.body);
    let id = offered.json()["hand_over_id"].as_str().unwrap().to_owned();
    let path = format!("/hand-overs/{id}/acceptance");
    let accepted = party.ada.post(&path, &()).await;
    assert_eq!(accepted.status, 200, "{}", accepted.body);
    let code = accepted.json()["code"].as_str().unwrap().to_owned();
    let ticket = party.ada.get(&format!("/tickets/{code}")).await.json();
    let holders = ticket["holders"].as_array().unwrap();
    let names: Vec<&str> = holders.iter().map(|holder| holder["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["friend", "ada"], "the holder of the reservation never had it before");
}

#[sqlx::test]
async fn each_payer_bears_a_part_of_the_fee_and_each_part_is_rounded_down(db: PgPool) {
    let party = paid_party(&db, 0).await;
    for friend in &party.friends {
        hand_back(&db, &party, friend).await;
    }
    agree_on(&db, party.id, 70, 100).await;
    let page = party.ada.visit(&format!("/reservations/{}", party.id)).await;
    assert!(page.body.contains("23,299"), "the own refund is shown: {}", page.body);
    // 70 percent of 33,333 less a third of 100 is 23,299.8, for each.
    let cancelled = cancel(&party.ada, party.id).await;
    assert_eq!((cancelled.status, &cancelled.json()["refunded"]), (200, &json!(3 * 23_299)));
    for friend in &party.friends {
        assert_eq!(balance(&db, friend.account_id).await, 100_000 - 33_333 + 23_299);
    }
    party.office.close().await;
}

#[sqlx::test]
async fn the_holder_cancels_with_all_tickets_and_each_payer_has_the_agreed_share(db: PgPool) {
    let party = paid_party(&db, 70).await;
    // A friend's ticket is not the holder's to give back.
    refused(&cancel(&party.ada, party.id).await, 409, "ticket-handed-over");
    for friend in &party.friends {
        hand_back(&db, &party, friend).await;
    }
    let page = party.ada.visit(&format!("/reservations/{}", party.id)).await;
    assert!(page.body.contains("23,333"), "the own refund is shown: {}", page.body);
    assert!(!page.body.contains("69,999"), "the refund of all is not: {}", page.body);
    let cancelled = cancel(&party.ada, party.id).await;
    // 70 percent of 33,333 is 23,333.1, for each.
    assert_eq!((cancelled.status, &cancelled.json()["refunded"]), (200, &json!(3 * 23_333)));
    assert_eq!(balance(&db, party.ada.account_id).await, 1_000_000 - 33_333 + 23_333);
    for friend in &party.friends {
        assert_eq!(balance(&db, friend.account_id).await, 100_000 - 33_333 + 23_333);
    }
    let told = "select kind from outbox where kind like '%refunded' order by kind";
    let told = read_all::<String>(&db, told).await;
    assert_eq!(told, ["reservation-refunded", "share-refunded", "share-refunded"]);
    party.office.close().await;
}

#[sqlx::test]
async fn an_administrators_refund_gives_everything_back_to_whoever_paid(db: PgPool) {
    let party = paid_party(&db, 0).await;
    let admin = party.office.employ("boss", "ADMIN").await;
    let form = [("share", "all"), ("reason", "kindness")];
    let answer = admin.post(&format!("/admin/reservations/{}/refund", party.id), &form).await;
    assert!(answer.status < 400, "{}", answer.body);
    assert_eq!(balance(&db, party.ada.account_id).await, 1_000_000);
    for friend in &party.friends {
        assert_eq!(balance(&db, friend.account_id).await, 100_000);
        assert_eq!(tickets_of(&db, friend.account_id).await, 0);
    }
    party.office.close().await;
}
