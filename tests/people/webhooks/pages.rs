//! The pages of webhooks.

use serde_json::{Value, json};
use sqlx::PgPool;

use super::{Hooked, RESERVATIONS, act};
use crate::support::{HookAnswer, HookReceiver, acts, read_one, run_sql, until};

#[sqlx::test]
async fn a_secret_is_shown_once_and_the_one_before_signs_for_a_day(db: PgPool) {
    let hooked = Hooked::open(&db).await;
    let page = hooked.admin.visit(&hooked.path()).await;
    assert!(page.status == 200 && !page.body.contains("whsec_"), "{}", page.body);
    let shown = hooked.admin.submit(&format!("{}/secret", hooked.path()), &()).await;
    assert_eq!(shown.status, 201);
    assert_eq!(shown.headers["cache-control"], "no-store");
    let [new] = shown.texts(".hook__secret").try_into().unwrap();
    assert!(new.starts_with("whsec_") && new != hooked.secret, "{new}");
    hooked.hold(0).await;
    hooked.until_accepted(1).await;
    let hook = hooked.receiver.received().remove(0);
    assert!(hook.is_signed_with(&new) && hook.is_signed_with(&hooked.secret), "{hook:?}");
    let page = hooked.admin.visit(&hooked.path()).await;
    assert!(page.body.contains("signs too until"), "{}", page.body);

    let day = "update webhook_endpoints set old_secret_until = now()";
    run_sql(&db, day).await;
    hooked.hold(1).await;
    hooked.until_accepted(2).await;
    let hook = hooked.receiver.received().remove(1);
    assert!(hook.is_signed_with(&new) && !hook.is_signed_with(&hooked.secret), "{hook:?}");
    hooked.until_noted().await;
    assert_eq!(acts(&db).await, ["webhook-registered", "webhook-rotated"]);
    let logged: String = read_one(&db, "select string_agg(after::text, '') from audit_log").await;
    assert!(!logged.contains("whsec") && logged.contains("Accounting"), "{logged}");
    hooked.close().await;
}

#[sqlx::test]
async fn a_paused_webhook_gets_what_happened_meanwhile_when_it_goes_on(db: PgPool) {
    let hooked = Hooked::open(&db).await;
    let pause = format!("{}/pause", hooked.path());
    assert_eq!(hooked.admin.submit(&pause, &()).await.status, 303);
    let again = hooked.admin.post(&pause, &()).await;
    assert_eq!((again.status, again.code().as_str()), (409, "webhook-unchanged"));
    let (ada, id) = hooked.hold(0).await;
    act(&ada, id, "cancellation").await;
    let listed = hooked.admin.get("/admin/webhooks").await.json();
    assert_eq!(listed["webhooks"][0]["waiting"], 2);
    assert!(hooked.receiver.received().is_empty());
    let resumption = format!("{}/resumption", hooked.path());
    assert_eq!(hooked.admin.post(&resumption, &()).await.status, 200);
    let accepted = hooked.until_accepted(2).await;
    assert_eq!(accepted, ["reservation.held", "reservation.released"]);
    hooked.until_noted().await;
    let expected = ["webhook-registered", "webhook-paused", "webhook-resumed"];
    assert_eq!(acts(&db).await, expected);
    hooked.close().await;
}

#[sqlx::test]
async fn a_webhook_that_is_changed_keeps_its_secret_and_sends_what_waits_to_its_new_address(
    db: PgPool,
) {
    let hooked = Hooked::open(&db).await;
    hooked.receiver.answer(|_| HookAnswer::Status(500));
    let (ada, id) = hooked.hold(0).await;
    until("an attempt", async || !hooked.receiver.received().is_empty()).await;
    let other = HookReceiver::start().await;
    let form = |url: &str| {
        json!({
            "url": url, "description": "The new system",
            "kinds": ["reservation.held", "reservation.paid"],
        })
    };
    let page = hooked.admin.visit(&hooked.path()).await;
    let edit = format!("form[action='{}']", hooked.path());
    assert_eq!(page.attribute(&format!("{edit} [name=url]"), "value"), hooked.receiver.href());
    assert_eq!(page.count(&format!("{edit} [name=kinds][checked]")), RESERVATIONS.len());
    let refused = hooked.admin.post_json(&hooked.path(), &form("ftp://example.com/")).await;
    assert_eq!(refused.status, 422, "{}", refused.body);
    let changed = hooked.admin.post_json(&hooked.path(), &form(&other.href())).await;
    assert_eq!(changed.status, 200, "{}", changed.body);
    run_sql(&db, "update webhook_deliveries set next_attempt_at = now()").await;
    until("the event at the new address", async || !other.received().is_empty()).await;
    let hook = other.received().remove(0);
    assert!(hook.kind() == "reservation.held" && hook.is_signed_with(&hooked.secret));

    // A release is no kind any more that it asks for, and a payment still is.
    let released = ada.post(&format!("/reservations/{id}/cancellation"), &()).await;
    assert_eq!(released.status, 200, "{}", released.body);
    let told = "select count(*) from webhook_deliveries d join domain_events e on e.id = d.event_id
        where e.kind = 'reservation.released'";
    assert_eq!(read_one::<i64>(&db, told).await, 0);
    let act: Value = read_one(
        &db,
        "select json_build_array(before, after) from audit_log where act = 'webhook-edited'",
    )
    .await;
    assert_eq!(act[0]["url"], hooked.receiver.href(), "{act}");
    assert_eq!(act[1]["kinds"], json!(["reservation.held", "reservation.paid"]), "{act}");
    assert_eq!(hooked.admin.submit(&format!("{}/deletion", hooked.path()), &()).await.status, 303);
    let gone = hooked.admin.post_json(&hooked.path(), &form(&other.href())).await;
    assert_eq!(gone.status, 404, "{}", gone.body);
    hooked.close().await;
}

#[sqlx::test]
async fn a_deleted_webhook_is_gone_with_what_waited_for_it(db: PgPool) {
    let hooked = Hooked::open(&db).await;
    hooked.receiver.answer(|_| HookAnswer::Status(500));
    hooked.hold(0).await;
    until("an attempt", async || !hooked.receiver.received().is_empty()).await;
    let gone = hooked.admin.submit(&format!("{}/deletion", hooked.path()), &()).await;
    assert_eq!((gone.status, gone.location()), (303, "/admin/webhooks"));
    hooked.hold(1).await;
    let n_secrets: i64 = read_one(&db, "select count(sealed_secret) from webhook_endpoints").await;
    assert_eq!(n_secrets, 0);
    stagedoor::webhooks::end_old(&hooked.office.app.db).await.unwrap();
    let n_deliveries: i64 = read_one(&db, "select count(*) from webhook_deliveries").await;
    assert_eq!(n_deliveries, 0);
    assert_eq!(hooked.admin.get(&hooked.path()).await.status, 404);
    for act in ["pause", "resumption", "secret", "deletion", "replays"] {
        let path = format!("{}/{act}", hooked.path());
        let form: &[(&str, &str)] = if act == "replays" { &[("hours", "1")] } else { &[] };
        let answer = hooked.admin.post(&path, &form).await;
        assert_eq!(answer.status, 404, "{act}: {}", answer.body);
    }
    let listed = hooked.admin.get("/admin/webhooks").await.json();
    assert_eq!(listed["webhooks"], serde_json::json!([]));
    assert!(acts(&db).await.contains(&"webhook-deleted".to_owned()));
    hooked.close().await;
}
