//! Single tickets of an order that staff give back, for the accounts that hold and paid for them.

use serde_json::{Value, json};
use sqlx::PgPool;
use uuid::Uuid;

use super::{Four, expect_refused};
use crate::{
    payment::{assert_sound, status_of},
    support::{
        Answer, Concert, Hold, Office, Person, agree_on, email_of, ledger::balance, read_all,
        run_sql,
    },
};

async fn refund(admin: &Person, id: Uuid, codes: &[&str], share: &str) -> Answer {
    let form = json!({
        "codes": codes, "share": share, "reason": "a call", "request_key": Uuid::now_v7(),
    });
    admin.post_json(&format!("/admin/reservations/{id}/refund"), &form).await
}

#[track_caller]
fn expect_refunded(answer: &Answer, refunded: i64) {
    let document = answer.json();
    assert_eq!(answer.status, 200, "{document}");
    let said = (&document["status"], &document["refunded"]);
    assert_eq!(said, (&json!("CONFIRMED"), &json!(refunded)), "{document}");
}

#[sqlx::test]
async fn staff_give_single_tickets_back_by_the_terms_or_all_that_was_paid(db: PgPool) {
    let four = Four::sold(&db, 50, 0).await;
    let (id, before) = (four.bought.reservation_id, balance(&db, four.ada.account_id).await);
    let admin = four.office.employ("boss", "ADMIN").await;
    let (seat, place) = (four.code(true, 0).await, four.code(false, 0).await);
    let path = format!("/admin/reservations/{id}");
    let page = admin.visit(&path).await;
    assert_eq!(page.count("[name='codes']"), 4, "{}", page.body);
    let form = [
        ("codes", seat.clone()),
        ("share", "agreed".to_owned()),
        ("reason", "a call".to_owned()),
        ("request_key", page.attribute("[name='request_key']", "value")),
    ];
    for _ in 0..2 {
        let given = admin.submit(&format!("{path}/refund"), &form).await;
        assert_eq!((given.status, given.location()), (303, path.as_str()), "{}", given.body);
    }
    assert_eq!(balance(&db, four.ada.account_id).await, before + 25_000);
    expect_refunded(&refund(&admin, id, &[&place], "all").await, 30_000);
    assert_eq!(balance(&db, four.ada.account_id).await, before + 55_000);
    four.expect_kept(2).await;
    assert_eq!(status_of(&db, id).await, "CONFIRMED");
    let acts: Vec<String> = read_all(&db, "select act from audit_log order by id").await;
    assert_eq!(acts, ["refunded", "refunded"]);
    let mails: Vec<String> =
        read_all(&db, "select kind from outbox where kind = 'ticket-refunded'").await;
    assert_eq!(mails.len(), 2);
    // After the terms are over only all of it comes back.
    let over = "update reservations
        set refund_steps = jsonb_set(jsonb_set(refund_steps, '{0,until}', to_jsonb(clock_timestamp())),
            '{0,hours}', '8000')";
    run_sql(&db, over).await;
    let other = four.code(true, 1).await;
    expect_refused(&refund(&admin, id, &[&other], "agreed").await, 409, "refund-over");
    expect_refunded(&refund(&admin, id, &[&other], "all").await, 50_000);
    four.expect_kept(1).await;
    four.office.close().await;
}

#[sqlx::test]
async fn what_staff_may_not_give_back_changes_nothing(db: PgPool) {
    let four = Four::sold(&db, 100, 0).await;
    let Four { office, ada, .. } = &four;
    let admin = office.employ("boss", "ADMIN").await;
    let (id, seat, other) =
        (four.bought.reservation_id, four.code(true, 0).await, four.code(true, 1).await);
    expect_refused(&refund(ada, id, &[&seat], "all").await, 403, "forbidden");
    expect_refused(&refund(&admin, id, &[&seat, &seat], "all").await, 422, "invalid");
    let elsewhere = Four::sold(&db, 100, 0).await;
    let theirs = elsewhere.bought.reservation_id;
    expect_refused(&refund(&admin, theirs, &[&seat], "all").await, 404, "not-found");
    let used = "update tickets set status = 'USED', used_at = now() where code = $1";
    sqlx::query(used).bind(&seat).execute(&db).await.unwrap();
    let refused = refund(&admin, id, &[&seat, &other], "all").await;
    expect_refused(&refused, 409, "ticket-refund-not-valid");
    let back = "update tickets set status = 'VALID', used_at = null where code = $1";
    sqlx::query(back).bind(&seat).execute(&db).await.unwrap();
    elsewhere.office.close().await;
    four.expect_kept(8).await;
    four.office.close().await;
}

/// The show has begun and ada's account is gone: her ticket is given back, and its points with it.
#[sqlx::test]
async fn a_ticket_of_an_account_that_is_gone_is_given_back_for_nothing(db: PgPool) {
    let four = Four::sold(&db, 100, 0).await;
    let admin = four.office.employ("boss", "ADMIN").await;
    let (id, code) = (four.bought.reservation_id, four.code(true, 0).await);
    run_sql(&db, "update schedules set starts_at = now() - interval '1 hour'").await;
    let left = balance(&db, four.ada.account_id).await;
    let gone = four.ada.post_json("/account/deletion", &json!({ "points": left })).await;
    assert_eq!(gone.status, 200, "{}", gone.body);
    expect_refunded(&refund(&admin, id, &[&code], "all").await, 50_000);
    assert_eq!(balance(&db, four.ada.account_id).await, 0);
    four.expect_kept(3).await;
    four.office.close().await;
}

/// Of two tickets that two people paid for, each payer gets the own part and a mail.
#[sqlx::test]
async fn of_tickets_of_two_payers_each_gets_what_the_own_one_is_given(db: PgPool) {
    let office = Office::open(db.clone()).await;
    let concert = Concert::usual(&db).await;
    let (ada, bob) = (office.sign_in("ada").await, office.sign_in("bob").await);
    for person in [&ada, &bob] {
        let charged = person.post("/wallet/charges", &[("amount", 200_000)]).await;
        assert_eq!(charged.status, 201, "{}", charged.body);
    }
    let hold = Hold { seat_ids: &concert.seat_ids[..3], ..Hold::default() };
    let id = hold.write(&db, &concert, ada.account_id).await;
    let shares = format!("/reservations/{id}/shares");
    let left = ada.get(&shares).await.json()["left"].clone();
    let form = json!({ "places": [left[0]["place"]] });
    let url = ada.post_json(&shares, &form).await.json()["url"].as_str().unwrap().to_owned();
    let link = &url[url.find("/shares/").unwrap()..];
    assert_eq!(bob.post(&format!("{link}/payment"), &()).await.status, 201);
    assert_eq!(ada.post(&format!("/reservations/{id}/rest/payment"), &()).await.status, 201);
    agree_on(&db, id, 80, 0).await;
    let listed = async |person: &Person| -> Vec<Value> {
        person.get("/tickets").await.json()["tickets"].as_array().unwrap().clone()
    };
    let (own, his) = (listed(&ada).await, listed(&bob).await);
    let codes = [own[0]["code"].as_str().unwrap(), his[0]["code"].as_str().unwrap()];
    let admin = office.employ("boss", "ADMIN").await;
    expect_refunded(&refund(&admin, id, &codes, "agreed").await, 80_000);
    assert_eq!(balance(&db, ada.account_id).await, 200_000 - 100_000 + 40_000);
    assert_eq!(balance(&db, bob.account_id).await, 200_000 - 50_000 + 40_000);
    let told: Vec<String> = read_all(
        &db,
        "select recipient from outbox where kind = 'ticket-refunded' order by recipient",
    )
    .await;
    let mut payers = [email_of(&db, ada.account_id).await, email_of(&db, bob.account_id).await];
    payers.sort();
    assert_eq!(told, payers);
    assert_sound(&office).await;
    office.close().await;
}
