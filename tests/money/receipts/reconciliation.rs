//! Reconciliation: what the provider has and the office does not, and the other way round, each with what to do.

use serde_json::{Value, json};
use sqlx::PgPool;

use super::for_money;
use crate::support::{
    Answer, Office, Person, StripeStandIn, read_one, run_sql, run_sql_with,
    stripe::{EventOptions, order_points},
    until,
};

const PATH: &str = "/admin/reconciliation";

async fn admin_of(db: &PgPool) -> (StripeStandIn, Office, Person, Person) {
    let (stripe, office, ada) = for_money(db, "KRW", "1").await;
    let admin = office.employ("admin", "ADMIN").await;
    (stripe, office, ada, admin)
}

async fn compare(admin: &Person, form: &[(&str, &str)]) -> Answer {
    admin.post(PATH, &form).await
}

fn kinds(document: &Value) -> Vec<String> {
    let all = document["differences"].as_array().unwrap_or_else(|| panic!("{document}")).iter();
    all.map(|difference| difference["kind"].as_str().unwrap().to_owned()).collect()
}

/// Differences of today, which may be tomorrow by the end of the test.
async fn differences(admin: &Person) -> Vec<String> {
    kinds(&compare(admin, &[]).await.json())
}

#[sqlx::test]
async fn what_is_the_same_on_both_sides_is_told_to_agree_and_a_silent_provider_is_not(db: PgPool) {
    let (stripe, office, ada, admin) = admin_of(&db).await;
    let paid = ada.post("/wallet/payouts", &[("points", 50_000)]).await;
    assert_eq!(paid.status, 201, "{}", paid.body);
    until("the money has left", async || {
        read_one(&db, "select bool_and(status = 'SETTLED') from payouts").await
    })
    .await;
    let told = compare(&admin, &[]).await.json();
    assert_eq!(kinds(&told), Vec::<String>::new(), "{told}");
    let sums = &told["sums"]["KRW"];
    assert_eq!((&sums["their_paid"], &sums["our_paid"]), (&json!(200_000), &json!(200_000)));
    assert_eq!((&sums["their_returned"], &sums["our_returned"]), (&json!(50_000), &json!(50_000)));
    let page = admin.submit(PATH, &[("day", "")]).await;
    assert!(page.body.contains("Both sides agree"), "{}", page.body);
    let other = compare(&admin, &[("day", "2024-02-29")]).await.json();
    assert_eq!((kinds(&other).len(), &other["is_whole"]), (0, &json!(true)));
    let hours = ["24", "-1", "x", "1:60", "1:", ":1"].map(|hour| ("hour", hour));
    for wrong in [("day", "never")].into_iter().chain(hours) {
        let refused = compare(&admin, &[wrong]).await;
        assert_eq!((refused.status, refused.code().as_str()), (422, "invalid"), "{wrong:?}");
    }
    for how in ["error", "silent"] {
        stripe.answer("list", how).await;
        let away = compare(&admin, &[]).await;
        assert_eq!((away.status, away.code().as_str()), (503, "provider-away"), "{how}");
        let page = admin.submit(PATH, &[("day", "")]).await;
        assert_eq!(page.status, 503);
        assert!(!page.body.contains("Both sides agree"), "{}", page.body);
    }
    office.close().await;
}

#[sqlx::test]
async fn each_difference_is_found_from_its_own_side_and_says_what_to_do(db: PgPool) {
    let (stripe, office, ada, admin) = admin_of(&db).await;
    let now: i64 = read_one(&db, "select extract(epoch from now())::bigint").await;
    // A payment that no purchase of this office asked for.
    let foreign = json!({ "id": "ch_foreign", "object": "charge", "payment_intent": "pi_foreign",
        "amount": 700, "currency": "krw", "created": now, "status": "succeeded", "metadata": {} });
    stripe.add_charge(&foreign).await;
    assert_eq!(differences(&admin).await, ["not-ours"]);
    // One that was paid, and whose message and worker are late.
    run_sql(&db, "alter table charges disable trigger charges_only_forward").await;
    let (_, session) = order_points(&ada, 300).await;
    run_sql(&db, "update charges set check_at = now() + interval '1 day' where status = 'OPEN'")
        .await;
    let paid = stripe.change(&session, "paid").await;
    assert_eq!(differences(&admin).await, ["not-settled", "not-ours"]);
    // It is settled for another amount, and one more is settled that the provider does not know.
    let event = stripe.completed(&paid).await;
    assert_eq!(event.deliver(&ada).await.status, 200);
    assert_eq!(differences(&admin).await, ["not-ours"]);
    run_sql(&db, "update charges set amount_minor = 301 where amount_minor = 300").await;
    let told = compare(&admin, &[]).await.json();
    assert_eq!(kinds(&told), ["not-ours", "amount"]);
    let (one, sums) = (&told["differences"][1], &told["sums"]["KRW"]);
    assert_eq!((&one["their_minor"], &one["our_minor"]), (&json!(300), &json!(301)), "{one}");
    assert_eq!(
        (&sums["their_paid"], &sums["our_paid"]),
        (&json!(201_000), &json!(200_301)),
        "the foreign 700 are theirs alone: {sums}"
    );
    let old = "update charges set amount_minor = 300 where amount_minor = 301";
    run_sql(&db, old).await;
    let name: String =
        read_one(&db, "select payment_ref from charges where amount_minor = 300").await;
    run_sql(&db, "update charges set payment_ref = 'pi_lost' where amount_minor = 300").await;
    let lost = differences(&admin).await;
    assert_eq!(lost, ["not-ours", "missing"], "the payment is found by the id in its metadata");
    run_sql_with(&db, "update charges set payment_ref = $1 where amount_minor = 300", name.clone())
        .await;
    // A refund that staff made at the provider, and a dispute, of which no message has told.
    let refund = json!({ "id": "re_staff", "object": "refund", "amount": 100, "currency": "krw",
        "payment_intent": name, "status": "succeeded", "created": now, "metadata": {} });
    stripe.set_money(&json!(name), &json!([refund]), &json!([])).await;
    assert_eq!(differences(&admin).await, ["not-ours", "refund-not-booked"]);
    let page = admin.submit(PATH, &[("day", "")]).await;
    assert!(page.body.contains("It was made at the provider"), "{}", page.body);
    assert!(page.has(&format!("a[href='/admin/people/{}']", ada.account_id)), "{}", page.body);
    // It is booked, and another one of which no message has told is not; and so with one that is booked in part.
    let booked = "insert into charge_reversals (id, charge_id, cause, cause_ref, points, moved, amount_minor, knows_payouts, happened_at)
        select gen_random_uuid(), id, 'REFUND_TOTAL', 'a-total', 0, 0, 100, true, now() from charges where amount_minor = 300";
    run_sql(&db, booked).await;
    assert_eq!(differences(&admin).await, ["not-ours"]);
    let second = json!({ "id": "re_second", "object": "refund", "amount": 60, "currency": "krw",
        "payment_intent": name, "status": "succeeded", "created": now, "metadata": {} });
    stripe.set_money(&json!(name), &json!([refund, second]), &json!([])).await;
    assert_eq!(differences(&admin).await, ["not-ours", "refund-not-booked"]);
    let sums = compare(&admin, &[("day", "")]).await.json()["sums"]["KRW"].clone();
    assert_eq!(
        (&sums["their_returned"], &sums["our_returned"]),
        (&json!(160), &json!(100)),
        "{sums}"
    );
    let foreign_refund = json!({ "id": "re_none", "object": "refund", "amount": 100, "currency": "krw",
        "payment_intent": name, "status": "succeeded", "created": now,
        "metadata": { "payout_id": "00000000-0000-0000-0000-000000000001" } });
    let dispute = json!({ "id": "dp_1", "status": "warning_needs_response" });
    stripe.set_money(&json!(name), &json!([foreign_refund]), &json!([dispute])).await;
    assert_eq!(differences(&admin).await, ["not-ours", "dispute", "refund-differs"]);
    office.close_as_it_is().await;
}

#[sqlx::test]
async fn a_payout_that_is_another_at_the_provider_differs_and_one_that_is_none_is_missing(
    db: PgPool,
) {
    let (stripe, office, ada, admin) = admin_of(&db).await;
    assert_eq!(ada.post("/wallet/payouts", &[("points", 50_000)]).await.status, 201);
    until("the money has left", async || {
        read_one(&db, "select bool_and(status = 'SETTLED') from payouts").await
    })
    .await;
    let mut refund = stripe.refunds().await.remove(0);
    let payment = refund["payment_intent"].clone();
    refund["amount"] = json!(49_999);
    stripe.set_money(&payment, &json!([refund]), &json!([])).await;
    let told = compare(&admin, &[]).await.json();
    assert_eq!(kinds(&told), ["refund-differs"], "{told}");
    let (one, sums) = (&told["differences"][0], &told["sums"]["KRW"]);
    assert_eq!((&one["their_minor"], &one["our_minor"]), (&json!(49_999), &json!(50_000)), "{one}");
    let both = (&sums["their_returned"], &sums["our_returned"]);
    assert_eq!(both, (&json!(49_999), &json!(50_000)), "{sums}");
    refund["amount"] = json!(50_000);
    refund["status"] = json!("failed");
    stripe.set_money(&payment, &json!([refund]), &json!([])).await;
    assert_eq!(differences(&admin).await, ["refund-differs"], "it failed there");
    stripe.set_money(&payment, &json!([]), &json!([])).await;
    let told = compare(&admin, &[]).await.json();
    assert_eq!(kinds(&told), ["refund-missing"], "{told}");
    let sums = &told["sums"]["KRW"];
    assert_eq!(
        (&sums["their_returned"], &sums["our_returned"]),
        (&json!(0), &json!(50_000)),
        "{sums}"
    );
    office.close().await;
}

#[sqlx::test]
async fn a_refund_of_staff_is_not_booked_because_one_of_another_day_is(db: PgPool) {
    let (stripe, office, ada, admin) = admin_of(&db).await;
    let (_, session) = order_points(&ada, 300).await;
    let paid = stripe.change(&session, "paid").await;
    assert_eq!(stripe.completed(&paid).await.deliver(&ada).await.status, 200);
    let name = paid["payment_intent"].clone();
    let now: i64 = read_one(&db, "select extract(epoch from now())::bigint").await;
    let refund = |id: &str, amount: i64, created: i64| {
        json!({ "id": id, "object": "refund", "amount": amount, "currency": "krw", "payment_intent": name,
            "status": "succeeded", "created": created, "metadata": {} })
    };
    // 100 of three days ago are booked, 60 of today are not, and nor are 30 of two days later.
    let (earlier, today) = (refund("re_1", 100, now - 3 * 86_400), refund("re_2", 60, now));
    let later = refund("re_3", 30, now + 2 * 86_400);
    let told = json!({ "payment_intent": name, "amount_refunded": 100, "currency": "krw" });
    let event = stripe.sign("charge.refunded", &told, EventOptions::default()).await;
    assert_eq!(event.deliver(&ada).await.status, 200);
    stripe.set_money(&name, &json!([earlier]), &json!([])).await;
    assert_eq!(differences(&admin).await, Vec::<String>::new());
    stripe.set_money(&name, &json!([later, today, earlier]), &json!([])).await;
    let found = compare(&admin, &[]).await.json();
    assert_eq!(kinds(&found), ["refund-not-booked"], "{found}");
    assert_eq!(found["differences"][0]["provider_ref"], "re_2");
    let sums = &found["sums"]["KRW"];
    assert_eq!((&sums["their_returned"], &sums["our_returned"]), (&json!(60), &json!(0)), "{sums}");
    // The day of the one that is booked agrees.
    let day = "select to_char(now() at time zone 'Asia/Seoul' - interval '3 days', 'YYYY-MM-DD')";
    let day: String = read_one(&db, day).await;
    let before = compare(&admin, &[("day", &day)]).await.json();
    assert_eq!(kinds(&before), Vec::<String>::new(), "{before}");
    assert_eq!(before["sums"]["KRW"]["our_returned"], 100, "{before}");
    // A total of all of it books them.
    let told = json!({ "payment_intent": name, "amount_refunded": 190, "currency": "krw" });
    let event = stripe.sign("charge.refunded", &told, EventOptions::default()).await;
    assert_eq!(event.deliver(&ada).await.status, 200);
    assert_eq!(differences(&admin).await, Vec::<String>::new());
    office.close().await;
}

#[sqlx::test]
async fn an_office_that_takes_no_money_has_nothing_to_compare(db: PgPool) {
    let office = Office::open_with(db.clone(), 1, &[]).await;
    let admin = office.employ("admin", "ADMIN").await;
    let page = admin.submit(PATH, &[("day", "")]).await;
    assert!(page.body.contains("nothing to compare"), "{}", page.body);
    office.close().await;
}

#[sqlx::test]
async fn a_day_with_more_payments_than_a_list_has_says_so_and_an_hour_is_compared(db: PgPool) {
    let (stripe, office, _, admin) = admin_of(&db).await;
    let noon: i64 =
        read_one(&db, "select extract(epoch from timestamptz '2024-02-29 03:30Z')::bigint").await;
    for nth in 0..1_002 {
        let created = if nth < 1_001 { noon } else { noon + 3_600 };
        let charge = json!({ "id": format!("ch_{nth}"), "object": "charge", "amount": 1, "currency": "krw",
            "created": created, "status": "succeeded", "metadata": {} });
        stripe.add_charge(&charge).await;
    }
    let day = ("day", "2024-02-29");
    assert_eq!(compare(&admin, &[day]).await.json()["is_whole"], false);
    let page = admin.submit(PATH, &[day]).await;
    assert!(page.body.contains("Choose an hour"), "{}", &page.body[..500]);
    let hour = compare(&admin, &[day, ("hour", "13")]).await.json();
    assert_eq!((&hour["is_whole"], kinds(&hour).len()), (&json!(true), 1), "{}", hour["sums"]);
    let minute = compare(&admin, &[day, ("hour", "13:31")]).await.json();
    assert_eq!((&minute["is_whole"], kinds(&minute).len()), (&json!(true), 0));
    office.close().await;
}
