//! The pages of webhooks.

use sqlx::PgPool;

use super::{Hooked, act};
use crate::support::{HookAnswer, acts, read_one, until};

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
    crate::support::run_sql(&db, day).await;
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
