//! What comes for an account after its deletion.

use serde_json::json;
use sqlx::PgPool;
use stagedoor::admin;
use uuid::Uuid;

use super::{PATH, delete, kinds};
use crate::support::{
    Concert, Hold, Office, Person, Purchase, StripeStandIn, count, email_of,
    ledger::{balance, entries},
    overtaken, read_one, read_one_with, run_sql, storm,
    stripe::{EventOptions, order_points},
    until,
};

/// Ends the only purchase unpaid, as its checkout does after an hour.
async fn expire(stripe: &StripeStandIn, person: &Person, checkout: &str, db: &PgPool) {
    stripe.change(checkout, "expired").await;
    let id: Uuid = read_one(db, "select id from charges").await;
    assert_eq!(person.visit(&format!("/wallet/charges/{id}")).await.status, 200);
}

#[sqlx::test]
async fn money_that_comes_late_is_kept_for_administrators_to_return(db: PgPool) {
    let stripe = StripeStandIn::start().await;
    let office = stripe.office(&db, 2).await;
    let ada = office.sign_in("ada").await;
    let boss = office.employ("boss", "ADMIN").await;
    let (_, checkout) = order_points(&ada, 500).await;
    let refused = delete(&ada, 0).await;
    assert_eq!((refused.code(), kinds(&refused)), ("account-kept".into(), vec!["purchase".into()]));
    expire(&stripe, &ada, &checkout, &db).await;
    assert_eq!(delete(&ada, 0).await.status, 200);

    let session = stripe.change(&checkout, "paid").await;
    for _ in 0..3 {
        assert_eq!(stripe.completed(&session).await.deliver(&boss).await.status, 200);
    }
    assert_eq!(read_one::<String>(&db, "select status from charges").await, "SETTLED");
    assert_eq!(balance(&db, ada.account_id).await, 0);
    assert_eq!(entries(&db, ada.account_id, "PURCHASE").await, 0);
    let list = boss.get("/admin/charges").await.json();
    assert_eq!(list["unclaimed"][0]["payment_ref"], session["payment_intent"], "{list}");
    assert_eq!(list["unclaimed"][0]["amount_minor"], 500);
    let page = boss.visit("/admin/charges").await;
    assert!(page.body.contains("\u{20a9}500"), "{}", page.body);

    let tell = async |kind: &str, object: &serde_json::Value| {
        let event = stripe.sign(kind, object, EventOptions::default()).await;
        assert_eq!(event.deliver(&boss).await.status, 200);
        boss.get("/admin/charges").await.json()["unclaimed"].as_array().unwrap().len()
    };
    let refund = |amount: i64| {
        json!({ "payment_intent": session["payment_intent"], "amount_refunded": amount,
            "currency": "krw" })
    };
    assert_eq!(tell("charge.refunded", &refund(200)).await, 1, "not all of it");
    assert_eq!(tell("charge.refunded", &refund(500)).await, 0);
    let failed = json!({ "id": "re_2", "payment_intent": session["payment_intent"], "amount": 300,
        "currency": "krw", "status": "failed", "created": 1_700_000_000 });
    assert_eq!(tell("refund.failed", &failed).await, 1, "it is to be returned again");
    let debt = "select debt from wallets where account_id = $1";
    assert_eq!(read_one_with::<i64>(&db, debt, ada.account_id).await, 0);
    office.close().await;
}

/// As where both hear of the money at the same moment.
#[sqlx::test]
async fn a_payment_and_a_deletion_at_once_leave_the_points_or_the_money(db: PgPool) {
    let stripe = StripeStandIn::start().await;
    let office = stripe.office(&db, 2).await;
    let ada = office.sign_in("ada").await;
    let (_, checkout) = order_points(&ada, 500).await;
    expire(&stripe, &ada, &checkout, &db).await;
    let event = stripe.completed(&stripe.change(&checkout, "paid").await).await;
    let at = office.moved(&office.stranger(), 1);
    let (deleted, told) = tokio::join!(delete(&ada, 0), event.deliver(&at));
    assert_eq!(told.status, 200);
    let unclaimed = "select count(*) from charges where unclaimed_at is not null";
    let unclaimed: i64 = read_one(&db, unclaimed).await;
    match deleted.code().as_str() {
        "" => assert_eq!((unclaimed, balance(&db, ada.account_id).await), (1, 0)),
        "balance-kept" => assert_eq!((unclaimed, balance(&db, ada.account_id).await), (0, 500)),
        code => panic!("{code} {}", deleted.body),
    }
    office.close().await;
}

#[sqlx::test]
async fn a_refund_that_comes_late_is_given_up_at_once(db: PgPool) {
    let office = Office::open(db.clone()).await;
    let concert = Concert::usual(&db).await;
    let ada = office.sign_in("ada").await;
    let boss = office.employ("boss", "ADMIN").await;
    let hold = Hold { seat_ids: &concert.seat_ids[..1], ..Hold::default() };
    let bought = Purchase::make(&db, &concert, &ada, hold).await;
    run_sql(&db, "update schedules set starts_at = now() - interval '1 hour'").await;
    assert_eq!(delete(&ada, 950_000).await.status, 200);
    let told: i64 = read_one(&db, "select count(*) from outbox").await;

    let path = format!("/admin/reservations/{}/refund", bought.reservation_id);
    let form = [("share", "all"), ("reason", "the singer was ill")];
    let refunded = boss.post(&path, &form).await;
    assert_eq!(refunded.status, 200, "{}", refunded.body);
    assert_eq!(entries(&db, ada.account_id, "REFUND").await, 1);
    assert_eq!(entries(&db, ada.account_id, "FORFEIT").await, 2);
    assert_eq!(balance(&db, ada.account_id).await, 0);
    assert_eq!(read_one::<i64>(&db, "select count(*) from outbox").await, told, "nobody is told");
    office.close().await;
}

/// A holder who was let in, or did not come, may delete the account while the performance runs.
#[sqlx::test]
async fn no_ticket_of_a_deleted_account_admits_again(db: PgPool) {
    let office = Office::open(db.clone()).await;
    let concert = Concert::tonight(&db).await;
    let (ada, bob) = (office.sign_in("ada").await, office.sign_in("bob").await);
    let door = office.employ("door", "STAFF").await;
    let hold = |idx: usize| Hold { seat_ids: &concert.seat_ids[idx..=idx], ..Hold::default() };
    let used = Purchase::make(&db, &concert, &ada, hold(0)).await;
    let unused = Purchase::make(&db, &concert, &bob, hold(1)).await;
    let path = format!("/door/{}/check-ins", concert.schedule_id);
    let let_in = door.post(&path, &[("code", &used.codes[0])]).await;
    assert_eq!(let_in.status, 201, "{}", let_in.body);
    run_sql(&db, "update schedules set starts_at = now() - interval '1 second'").await;
    for person in [&ada, &bob] {
        let points = balance(&db, person.account_id).await;
        assert_eq!(delete(person, points).await.status, 200);
    }
    let status = async |code: &String| {
        let status = "select status from tickets where code = $1";
        read_one_with::<String>(&db, status, code.clone()).await
    };
    let let_in = let_in.json()["ticket_id"].as_str().unwrap().to_owned();
    assert_eq!(door.post(&format!("{path}/{let_in}/undoing"), &()).await.status, 200);
    assert_eq!(status(&used.codes[0]).await, "VOID");
    assert_eq!(status(&unused.codes[0]).await, "VALID");

    let boss = office.employ("boss", "ADMIN").await;
    let moved = [("version", "0"), ("starts_at", "2100-03-02T21:30")];
    let moved = boss.post(&format!("/admin/schedules/{}", concert.schedule_id), &moved).await;
    assert_eq!(moved.status, 200, "{}", moved.body);
    assert_eq!(status(&unused.codes[0]).await, "VOID");
    office.close().await;
}

/// Where the deletion comes first, as two do before all others, the ticket is void; where the move does, the
/// account is kept.
#[sqlx::test]
async fn of_deletions_and_a_move_behind_the_present_at_once_no_ticket_of_a_deleted_account_admits(
    db: PgPool,
) {
    const GONE: usize = 2;
    const PEOPLE: usize = GONE + 10;
    let office = Office::open(db.clone()).await;
    let concert = Concert::tonight(&db).await;
    let boss = office.employ("boss", "ADMIN").await;
    let people = office.crowd(PEOPLE, "guest").await;
    for (person, seat) in people.iter().zip(&concert.seat_ids) {
        let hold = Hold { seat_ids: std::slice::from_ref(seat), ..Hold::default() };
        Purchase::make(&db, &concert, person, hold).await;
    }
    run_sql(&db, "update schedules set starts_at = now() - interval '1 second'").await;
    let points = balance(&db, people[0].account_id).await;
    for person in &people[..GONE] {
        assert_eq!(delete(person, points).await.status, 200);
    }
    let deletions = storm(people.iter().enumerate().skip(GONE).map(|(nth, person)| {
        let person = office.moved(person, nth);
        async move { delete(&person, points).await }
    }));
    let path = format!("/admin/schedules/{}", concert.schedule_id);
    let form = [("version", "0"), ("starts_at", "2100-03-02T21:30")];
    let (deletions, moved) = tokio::join!(deletions, boss.post(&path, &form));
    assert_eq!(moved.status, 200, "{}", moved.body);
    let n_deleted = GONE + count(&deletions, 200, "");
    assert_eq!(n_deleted + count(&deletions, 409, "account-kept"), PEOPLE, "{deletions:?}");
    let of = async |status: &str, is_deleted: bool| {
        let sql = "select count(*) from tickets t join accounts a on a.id = t.account_id
            where t.status = $1 and (a.deleted_at is not null) = $2";
        let found = sqlx::query_scalar(sql).bind(status).bind(is_deleted).fetch_one(&db).await;
        let found: i64 = found.unwrap();
        usize::try_from(found).unwrap()
    };
    assert_eq!((of("VOID", true).await, of("VALID", true).await), (n_deleted, 0));
    assert_eq!((of("VALID", false).await, of("VOID", false).await), (PEOPLE - n_deleted, 0));
    office.close().await;
}

/// The deletion has found nothing that keeps the account when the move comes, which waits for it. On a busy
/// machine one of the two may give up, and another account is tried.
#[sqlx::test]
async fn a_move_waits_for_a_deletion_and_voids_its_ticket(db: PgPool) {
    const TRIES_MAX: usize = 5;
    let office = Office::open(db.clone()).await;
    let concert = Concert::tonight(&db).await;
    let boss = office.employ("boss", "ADMIN").await;
    let people = office.crowd(TRIES_MAX, "guest").await;
    for (person, seat) in people.iter().zip(&concert.seat_ids) {
        let hold = Hold { seat_ids: std::slice::from_ref(seat), ..Hold::default() };
        Purchase::make(&db, &concert, person, hold).await;
    }
    let points = balance(&db, people[0].account_id).await;
    let path = format!("/admin/schedules/{}", concert.schedule_id);
    for person in people {
        run_sql(&db, "update schedules set starts_at = now() - interval '1 second'").await;
        let version = boss.get(&path).await.json()["schedule"]["version"].to_string();
        let (account_id, mover, path) = (person.account_id, boss.clone(), path.clone());
        let deleting = async move { delete(&person, points).await };
        let moving = async move {
            mover
                .post(&path, &[("version", version.as_str()), ("starts_at", "2100-03-02T21:30")])
                .await
        };
        let (deleted, moved, _) = overtaken(&db, "outbox", deleting, moving).await;
        if [deleted.status, moved.status] == [200, 200] {
            let status = "select status from tickets where account_id = $1";
            assert_eq!(read_one_with::<String>(&db, status, account_id).await, "VOID");
            office.close().await;
            return;
        }
        assert!([deleted.status, moved.status].contains(&503), "{deleted:?} {moved:?}");
    }
    panic!("no move came beside a deletion");
}

/// Tickets of friends whose accounts are gone, to a performance that is moved and then cancelled.
#[sqlx::test]
async fn whoever_paid_for_tickets_of_deleted_accounts_has_the_money_back(db: PgPool) {
    let office = Office::open(db.clone()).await;
    let concert = Concert::tonight(&db).await;
    let (bob, boss) = (office.sign_in("bob").await, office.employ("boss", "ADMIN").await);
    let to = email_of(&db, bob.account_id).await;
    let buy = async |name: &str, seats: &[i64]| {
        let payer = office.sign_in(name).await;
        let hold = Hold { seat_ids: seats, ..Hold::default() };
        let bought = Purchase::make(&db, &concert, &payer, hold).await;
        let path = format!("/tickets/{}/hand-overs", bought.codes[0]);
        let offered = payer.post_json(&path, &json!({ "to": &to })).await;
        assert_eq!(offered.status, 201, "{}", offered.body);
        let path =
            format!("/hand-overs/{}/acceptance", offered.json()["hand_over_id"].as_str().unwrap());
        assert_eq!(bob.post(&path, &()).await.status, 200);
        (payer, bought.reservation_id)
    };
    let [one, two, three, four, ..] = concert.seat_ids[..] else { panic!("four seats") };
    let (ada, _) = buy("ada", &[one, two]).await;
    let (cay, _) = buy("cay", &[three]).await;
    let (eve, refunded) = buy("eve", &[four]).await;
    run_sql(&db, "update schedules set starts_at = now() - interval '1 second'").await;
    assert_eq!(delete(&bob, 0).await.status, 200);
    let path = format!("/admin/schedules/{}", concert.schedule_id);
    let moved = [("version", "0"), ("starts_at", "2100-03-02T21:30")];
    assert_eq!(boss.post(&path, &moved).await.status, 200);
    let void: i64 = read_one(&db, "select count(*) from tickets where status = 'VOID'").await;
    assert_eq!(void, 3);

    let refund = format!("/admin/reservations/{refunded}/refund");
    let refund = boss.post(&refund, &[("share", "all"), ("reason", "a goodwill")]).await;
    assert_eq!(refund.status, 200, "{}", refund.body);
    let cancelled = [("version", "1"), ("reason", "the singer is ill")];
    let cancelled = boss.post(&format!("{path}/cancellation"), &cancelled).await;
    assert_eq!(cancelled.status, 200, "{}", cancelled.body);
    until("everything is given back", async || {
        admin::wind_down(&office.app).await.unwrap();
        read_one(&db, "select wound_down_at is not null from schedules").await
    })
    .await;
    for payer in [&ada, &cay, &eve] {
        assert_eq!(balance(&db, payer.account_id).await, 1_000_000);
    }
    office.close().await;
}

/// Its session is read before the deletion, and what it does comes after it.
#[sqlx::test]
async fn a_page_that_was_open_leaves_nothing_behind(db: PgPool) {
    let office = Office::open(db.clone()).await;
    let ada = office.sign_in("ada").await;
    let elsewhere = office.moved(&ada, 1);
    assert_eq!(elsewhere.visit("/").await.status, 200, "cached for a second");
    assert_eq!(delete(&ada, 0).await.status, 200);
    elsewhere.set_cookie("session", "");
    let language = [("lang", "ko"), ("next", "/")];
    assert!(elsewhere.submit("/language", &language).await.status < 400);
    assert_eq!(elsewhere.post(PATH, &()).await.code(), "login-required");
    office.close().await;
}
