//! Debts: they outlive their account, and administrators write them off.

use serde_json::{Value, json};
use sqlx::PgPool;
use uuid::Uuid;

use super::delete;
use crate::support::{
    Concert, Hold, Office, Person, StripeStandIn, acts,
    ledger::{balance, entries},
    read_one_with, run_sql_with, storm,
    stripe::{EventOptions, order_points},
};

/// Person who bought 500 points, spent 450 of them, and got the money back.
struct Owing {
    stripe: StripeStandIn,
    office: Office,
    ada: Person,
    boss: Person,
    payment: Value,
}

impl Owing {
    /// Disputes the payment, after which 450 points are owed.
    async fn disputed(db: &PgPool) -> Self {
        let stripe = StripeStandIn::start().await;
        let office = stripe.office(db, 2).await;
        let (ada, boss) = (office.sign_in("ada").await, office.employ("boss", "ADMIN").await);
        let (_, id) = order_points(&ada, 500).await;
        let session = stripe.change(&id, "paid").await;
        assert_eq!(stripe.completed(&session).await.deliver(&ada).await.status, 200);
        let concert = Concert::tonight(db).await;
        run_sql_with(db, "update schedule_seats set price = $1", 450).await;
        let hold = Hold { seat_ids: &concert.seat_ids[..1], ..Hold::default() };
        let id = hold.write(db, &concert, ada.account_id).await;
        assert_eq!(ada.post(&format!("/reservations/{id}/payment"), &()).await.status, 201);
        let owing = Self { payment: session["payment_intent"].clone(), stripe, office, ada, boss };
        owing.dispute("charge.dispute.created", "needs_response").await;
        assert_eq!(owing.state().await, (0, 450));
        owing
    }

    async fn dispute(&self, kind: &str, status: &str) {
        let now = "select extract(epoch from clock_timestamp())::bigint where $1::uuid is not null";
        let created: i64 = read_one_with(&self.office.db, now, Uuid::nil()).await;
        let object = json!({ "id": "dp_1", "payment_intent": self.payment, "amount": 500,
            "currency": "krw", "status": status, "created": created });
        let event = self.stripe.sign(kind, &object, EventOptions::default()).await;
        assert_eq!(event.deliver(&self.boss).await.status, 200);
    }

    /// Returns the balance and the debt.
    async fn state(&self) -> (i64, i64) {
        let db = &self.office.db;
        let debt = "select debt from wallets where account_id = $1";
        let debt = read_one_with(db, debt, self.ada.account_id).await;
        (balance(db, self.ada.account_id).await, debt)
    }

    fn path(&self) -> String {
        format!("/admin/people/{}/debt-write-offs", self.ada.account_id)
    }
}

fn form(points: i64) -> Vec<(&'static str, String)> {
    vec![("points", points.to_string()), ("reason", "she lost her card".to_owned())]
}

#[sqlx::test]
async fn a_debt_is_seen_and_written_off_in_parts_with_a_reason(db: PgPool) {
    let owing = Owing::disputed(&db).await;
    let Owing { boss, ada, .. } = &owing;
    let list = boss.visit("/admin/people").await;
    assert!(list.body.contains("Owes 450 points"), "{}", list.body);
    let person = format!("/admin/people/{}", ada.account_id);
    assert_eq!(boss.get(&person).await.json()["debt"], 450);
    let page = boss.visit(&person).await;
    assert!(page.has("form[action$='/debt-write-offs']"), "{}", page.body);

    let path = owing.path();
    for refused in [form(0), form(-5), vec![("points", "5".to_owned())]] {
        assert_eq!(boss.post(&path, &refused).await.status, 422, "{refused:?}");
    }
    let too_much = boss.post(&path, &form(451)).await;
    assert_eq!((too_much.status, too_much.code().as_str()), (409, "debt-smaller"));
    assert_eq!(ada.post(&path, &form(5)).await.code(), "forbidden");
    let mut keyed = form(150);
    keyed.push(("request_key", Uuid::now_v7().to_string()));
    let answers = storm((0..8).map(|idx| {
        let (boss, path, keyed) = (owing.office.moved(boss, idx), path.clone(), keyed.clone());
        async move { boss.post(&path, &keyed).await }
    }))
    .await;
    assert!(answers.iter().all(|answer| [200, 409].contains(&answer.status)), "{answers:?}");
    assert_eq!(owing.state().await, (0, 300), "once for one key");
    assert_eq!(boss.post(&path, &form(300)).await.json()["debt"], 0);
    assert_eq!(owing.state().await, (0, 0));
    assert_eq!(entries(&db, ada.account_id, "WRITE_OFF").await, 2);
    assert_eq!(acts(&db).await, ["debt-written-off", "debt-written-off"]);
    let wallet = ada.visit("/wallet").await;
    assert!(wallet.body.contains("Debt written off"), "{}", wallet.body);
    owing.office.close().await;
}

#[sqlx::test]
async fn of_many_write_offs_at_once_no_more_is_written_off_than_is_owed(db: PgPool) {
    let owing = Owing::disputed(&db).await;
    let answers = storm((0..32).map(|idx| {
        let (boss, path) = (owing.office.moved(&owing.boss, idx), owing.path());
        async move { boss.post(&path, &form(100)).await }
    }))
    .await;
    let done = answers.iter().filter(|answer| answer.status == 200).count();
    assert_eq!(done, 4, "{answers:?}");
    assert_eq!(owing.state().await, (0, 50));
    owing.office.close().await;
}

#[sqlx::test]
async fn a_dispute_that_is_won_gives_back_what_was_taken_and_nothing_that_was_written_off(
    db: PgPool,
) {
    let owing = Owing::disputed(&db).await;
    assert_eq!(owing.boss.post(&owing.path(), &form(400)).await.status, 200);
    assert_eq!(owing.state().await, (0, 50));
    owing.dispute("charge.dispute.closed", "won").await;
    // 50 points left the wallet and come back; 50 are owed no more; 400 were written off.
    assert_eq!(owing.state().await, (50, 0));
    owing.office.close().await;
}

#[sqlx::test]
async fn a_debt_outlives_its_account_and_points_that_come_back_do_not(db: PgPool) {
    let owing = Owing::disputed(&db).await;
    run_sql_with(&db, "update schedules set starts_at = now() - make_interval(hours => $1)", 1)
        .await;
    let page = owing.ada.visit("/account/deletion").await;
    assert!(page.body.contains("You owe 450 points"), "{}", page.body);
    assert_eq!(delete(&owing.ada, 0).await.status, 200);
    assert_eq!(owing.state().await, (0, 450));
    assert_eq!(owing.boss.post(&owing.path(), &form(200)).await.json()["debt"], 250);
    owing.dispute("charge.dispute.closed", "won").await;
    assert_eq!(owing.state().await, (0, 0));
    owing.office.close().await;
}
