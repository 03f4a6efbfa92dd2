//! The process is killed between each two steps of a payout. Afterwards points, money and rows agree, and the money
//! goes once.

use serde_json::{Value, json};
use sqlx::PgPool;
use uuid::Uuid;

use super::{concert, make_payouts_due, returned, states, until_all};
use crate::{
    payment::checkout::{deaths::start, reversals::Bought},
    support::{
        Answer, ChildInstance, Death, Hold, Person,
        ledger::{balance, entries, violations},
        read_one, read_one_with,
        stripe::EventOptions,
        until,
    },
};

/// Lets `bought` find itself in a new office, after the one before went away.
async fn open_again(bought: &mut Bought) {
    bought.office = bought.stripe.office(&bought.office.db.clone(), 1).await;
    bought.ada = bought.office.moved(&bought.ada, 0);
}

/// Kills a process at `death` while it answers what ada asks of it, and checks what is left in a new office.
async fn kill_at<F>(bought: &mut Bought, death: Death, ask: impl FnOnce(Person) -> F)
where
    F: Future<Output = Answer> + Send + 'static,
{
    let db = bought.office.db.clone();
    let mut process = start(&bought.office, &bought.stripe).await;
    bought.office.leave().await;
    death.set(&db).await;
    let asked = tokio::spawn(ask(process.moved(&bought.ada)));
    death.reached(&db).await;
    process.kill();
    assert!(asked.await.is_err(), "an answer came from a dead process");
    death.over(&db).await;
    open_again(bought).await;
    assert_eq!(violations(&bought.office).await, Vec::<String>::new(), "{death:?}");
}

#[sqlx::test]
async fn a_request_survives_the_death_while_it_is_written(db: PgPool) {
    let deaths = [
        Death::Writing("wallets"),
        Death::Writing("point_transactions"),
        Death::Writing("payouts"),
        Death::Writing("charges"),
        Death::Committing("payouts"),
    ];
    let mut bought = Bought::points(&db, 500).await;
    for (nth, death) in deaths.into_iter().enumerate() {
        let form = json!({ "points": 100, "request_key": Uuid::now_v7() });
        let asked = form.clone();
        kill_at(
            &mut bought,
            death,
            |ada| async move { ada.post_json("/wallet/payouts", &asked).await },
        )
        .await;
        let is_done = matches!(death, Death::Committing(_));
        assert_eq!(states(&db).await.len(), nth + usize::from(is_done), "{death:?}");
        let again = bought.ada.post_json("/wallet/payouts", &form).await;
        assert_eq!((again.status, &again.json()["points"]), (201, &json!(100)), "{death:?}");
        until_all(&db, "SETTLED").await;
        let n = i64::try_from(nth + 1).unwrap();
        assert_eq!(returned(&bought.stripe).await, 100 * n, "{death:?}");
        assert_eq!(bought.balance().await, 500 - 100 * n, "{death:?}");
    }
    bought.office.close().await;
}

#[sqlx::test]
async fn a_refund_to_the_card_survives_the_death_while_it_is_written(db: PgPool) {
    let deaths = [
        Death::Writing("payments"),
        Death::Writing("reservations"),
        Death::Writing("wallets"),
        Death::Writing("payouts"),
        Death::Writing("outbox"),
        Death::Committing("payouts"),
    ];
    let mut bought = Bought::points(&db, 1_000).await;
    let concert = concert(&db).await;
    for (nth, death) in deaths.into_iter().enumerate() {
        let hold = Hold { seat_ids: &concert.seat_ids[nth..=nth], ..Hold::default() };
        let id = hold.write(&db, &concert, bought.ada.account_id).await;
        let paid = bought.ada.post(&format!("/reservations/{id}/payment"), &()).await;
        assert_eq!(paid.status, 201, "{}", paid.body);
        let path = format!("/reservations/{id}/cancellation");
        let form = json!({ "refunds": "card", "request_key": Uuid::now_v7() });
        let (at, asked) = (path.clone(), form.clone());
        kill_at(&mut bought, death, |ada| async move { ada.post_json(&at, &asked).await }).await;
        let state: String =
            read_one_with(&db, "select status from reservations where id = $1", id).await;
        let is_done = matches!(death, Death::Committing(_));
        assert_eq!(state, if is_done { "REFUNDED" } else { "CONFIRMED" }, "{death:?}");
        let again = bought.ada.post_json(&path, &form).await;
        assert_eq!((again.status, &again.json()["to_cards"]), (200, &json!(100)), "{death:?}");
        until_all(&db, "SETTLED").await;
        let n = i64::try_from(nth + 1).unwrap();
        assert_eq!(returned(&bought.stripe).await, 100 * n, "{death:?}");
        assert_eq!(bought.balance().await, 1_000 - 100 * n, "{death:?}");
    }
    bought.office.close().await;
}

#[sqlx::test]
async fn tickets_given_back_to_the_card_survive_the_death_while_it_is_written(db: PgPool) {
    let deaths = [
        Death::Writing("idempotency_keys"),
        Death::Writing("ticket_returns"),
        Death::Writing("reservation_items"),
        Death::Writing("schedule_seats"),
        Death::Writing("tickets"),
        Death::Writing("wallets"),
        Death::Writing("point_transactions"),
        Death::Writing("payouts"),
        Death::Writing("charges"),
        Death::Writing("outbox"),
        Death::Committing("payouts"),
    ];
    let mut bought = Bought::points(&db, 3_300).await;
    let concert = concert(&db).await;
    let mut given = 0;
    for death in deaths {
        // The seats of the round before are free again.
        let hold = Hold { seat_ids: &concert.seat_ids[..3], ..Hold::default() };
        let id = hold.write(&db, &concert, bought.ada.account_id).await;
        let paid = bought.ada.post(&format!("/reservations/{id}/payment"), &()).await;
        assert_eq!(paid.status, 201, "{}", paid.body);
        let codes = paid.json()["tickets"].clone();
        let path = format!("/tickets/{}/refund", codes[0].as_str().unwrap());
        let form = json!({ "refunds": "card", "with": [codes[1]], "request_key": Uuid::now_v7() });
        let (at, asked) = (path.clone(), form.clone());
        kill_at(&mut bought, death, |ada| async move { ada.post_json(&at, &asked).await }).await;
        let n_void: i64 = read_one(&db, "select count(*) from tickets where status = 'VOID'").await;
        let is_done = matches!(death, Death::Committing(_));
        assert_eq!(n_void, 3 * given + if is_done { 2 } else { 0 }, "{death:?}");
        for _ in 0..2 {
            let again = bought.ada.post_json(&path, &form).await;
            assert_eq!((again.status, &again.json()["to_cards"]), (201, &json!(200)), "{death:?}");
        }
        until_all(&db, "SETTLED").await;
        given += 1;
        assert_eq!(returned(&bought.stripe).await, 200 * given, "{death:?}");
        // The third ticket comes back to the wallet.
        let last = format!("/tickets/{}/refund", codes[2].as_str().unwrap());
        let form = json!({ "request_key": Uuid::now_v7() });
        assert_eq!(bought.ada.post_json(&last, &form).await.status, 201);
        assert_eq!(bought.balance().await, 3_300 - 200 * given, "{death:?}");
    }
    assert_eq!(violations(&bought.office).await, Vec::<String>::new());
    bought.office.close().await;
}

/// The provider was asked, and the process died before it had the answer, or before the provider did anything.
#[sqlx::test]
async fn a_payout_survives_the_death_while_the_provider_is_asked(db: PgPool) {
    let mut bought = Bought::points(&db, 500).await;
    for (nth, how) in ["silent", "late"].into_iter().enumerate() {
        let settings = bought.stripe.settings();
        let settings: Vec<(&str, &str)> =
            settings.iter().map(|(name, value)| (*name, value.as_str())).collect();
        let mut process = ChildInstance::start_with(&bought.office, &settings).await;
        bought.office.leave().await;
        bought.stripe.answer("refund", how).await;
        let asked = super::pay_out(&process.moved(&bought.ada), 100).await;
        assert_eq!(asked.status, 201, "{}", asked.body);
        until("a question", async || {
            let sent = "select count(*) from payouts where status = 'SENT'";
            let is_done = how != "late" || bought.stripe.refunds().await.len() == nth + 1;
            read_one::<i64>(&db, sent).await == 1 && is_done
        })
        .await;
        process.kill();
        bought.stripe.answer("refund", "ok").await;
        open_again(&mut bought).await;
        assert_eq!(violations(&bought.office).await, Vec::<String>::new(), "{how}");
        until("an end", async || {
            make_payouts_due(&db).await;
            states(&db).await.iter().all(|state| state == "SETTLED")
        })
        .await;
        assert_eq!(bought.stripe.refunds().await.len(), nth + 1, "{how}");
    }
    assert_eq!((returned(&bought.stripe).await, bought.balance().await), (200, 300));
    bought.office.close().await;
}

/// Asks for a payout that stays pending, and returns the refund at the provider.
async fn pending(bought: &Bought) -> Value {
    bought.stripe.answer("refund", "pending").await;
    assert_eq!(super::pay_out(&bought.ada, 100).await.status, 201);
    let named = "select count(*) from payouts where refund_ref is not null and status = 'SENT'";
    until("a name", async || read_one::<i64>(&bought.office.db, named).await == 1).await;
    bought.stripe.refunds().await.pop().unwrap()
}

#[sqlx::test]
async fn the_end_of_a_payout_survives_the_death_while_it_is_written(db: PgPool) {
    let of_success =
        [Death::Writing("payouts"), Death::Writing("charges"), Death::Committing("payouts")];
    let of_failure = [
        Death::Writing("payouts"),
        Death::Writing("wallets"),
        Death::Writing("point_transactions"),
        Death::Writing("outbox"),
        Death::Committing("payouts"),
    ];
    let ends = of_success.map(|death| (death, "succeeded", "SETTLED"));
    let ends = ends.into_iter().chain(of_failure.map(|death| (death, "failed", "FAILED")));
    let mut bought = Bought::points(&db, 1_000).await;
    let mut left = 1_000;
    for (nth, (death, status, state)) in ends.enumerate() {
        let refund = pending(&bought).await;
        let refund = bought.stripe.change_refund(&refund["id"], status, "").await;
        let kind = if status == "failed" { "refund.failed" } else { "refund.updated" };
        let event = bought.stripe.sign(kind, &refund, EventOptions::default()).await;
        let told = event.clone();
        kill_at(&mut bought, death, |ada| async move { told.deliver(&ada).await }).await;
        let is_done = matches!(death, Death::Committing(_));
        let seen = states(&db).await;
        assert_eq!(seen[nth], if is_done { state } else { "SENT" }, "{death:?}");
        // The provider delivers again.
        assert_eq!(event.deliver(&bought.ada).await.status, 200);
        assert_eq!(states(&db).await[nth], state, "{death:?}");
        left -= if status == "failed" { 0 } else { 100 };
        assert_eq!(balance(&db, bought.ada.account_id).await, left, "{death:?}");
    }
    assert_eq!(entries(&db, bought.ada.account_id, "PAYOUT_RETURN").await, 5);
    bought.office.close().await;
}
