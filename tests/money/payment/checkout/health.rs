//! Health of the payment provider, as staff sees it on the live page of a sale.

use serde_json::Value;
use sqlx::PgPool;

use crate::support::{Concert, StripeStandIn, eventually, stripe::order_points};

#[sqlx::test]
async fn staff_sees_when_the_provider_answered_and_how_often_it_did_not(db: PgPool) {
    let stripe = StripeStandIn::start().await;
    let office = stripe.office(&db, 2).await;
    let concert = Concert::usual(&db).await;
    let admin = office.employ("admin", "ADMIN").await;
    let people = office.crowd(2, "ada").await;
    let path = format!("/admin/programs/{}/live", concert.program_id);
    let provider = async || admin.get(&path).await.json()["office"]["provider"].clone();
    let first = provider().await;
    assert_eq!((&first["answered_at"], &first["purchases_open"]), (&Value::Null, &0.into()));

    // The second instance is answered, and the first one tells of it.
    order_points(&people[1], 700).await;
    let healthy = eventually("an answer", async || {
        let told = provider().await;
        if told["answered_at"].is_null() { Err(told) } else { Ok(told) }
    })
    .await;
    assert_eq!((&healthy["failed"], &healthy["purchases_open"]), (&0.into(), &1.into()));
    stripe.answer("create", "error").await;
    for person in &people {
        let away = person.submit("/wallet/charges", &[("amount", "700")]).await;
        assert_eq!(away.status, 503, "{}", away.body);
    }
    eventually("both failures", async || {
        let told = provider().await;
        if told["failed"] == 2 { Ok(()) } else { Err(told) }
    })
    .await;
    let page = admin.visit(&path).await;
    let told = page.texts(".live__fault").concat();
    assert!(told.contains("Failures, last 5 minutes: 2"), "{}", page.body);
    assert!(
        page.body.contains("Last answer") && page.body.contains("Under way: 3"),
        "{}",
        page.body
    );
    office.close().await;
}
