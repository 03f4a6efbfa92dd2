//! Where events are not sent to.

use serde_json::json;
use sqlx::PgPool;

use super::{Hooked, PRIVATE, RESERVATIONS, register};
use crate::support::{
    Concert, Hold, HookAnswer, HookReceiver, Office, read_one, run_sql, run_sql_with, until,
};

#[sqlx::test]
async fn a_redirect_is_a_failure_and_is_not_followed(db: PgPool) {
    let hooked = Hooked::open(&db).await;
    let elsewhere = HookReceiver::start().await;
    let href = elsewhere.href();
    hooked.receiver.answer(move |_| HookAnswer::Redirect(href.clone()));
    hooked.hold(0).await;
    until("a failure", async || hooked.deliveries().await[0]["last_status"] == 302).await;
    let delivery = hooked.deliveries().await.remove(0);
    let why = delivery["last_error"].as_str().unwrap();
    assert_eq!(why, "answered 302 Found: redirects are not followed");
    assert_eq!(delivery["state"], "waiting");
    assert!(elsewhere.received().is_empty());
    hooked.close().await;
}

#[sqlx::test]
async fn an_address_of_a_private_network_is_refused_when_it_is_registered(db: PgPool) {
    let office = Office::open_with(db.clone(), 1, &[]).await;
    let admin = office.employ("admin", "ADMIN").await;
    for url in [
        "https://127.0.0.1/in",
        "https://localhost/in",
        "https://[::1]/in",
        "https://[::ffff:10.0.0.1]/in",
        "https://10.1.2.3/in",
        "https://100.64.0.1/in",
        "https://169.254.169.254/latest/meta-data",
        "https://[fd00:ec2::254]/",
        "https://0x7f000001/in",
        "http://hooks.example.com/in",
        "ftp://hooks.example.com/in",
        "https://ada:secret@hooks.example.com/",
        "hooks",
        "",
    ] {
        let form = json!({ "url": url, "description": "Accounting", "kinds": RESERVATIONS });
        let refused = admin.post_json("/admin/webhooks", &form).await;
        assert_eq!((refused.status, refused.code().as_str()), (422, "invalid"), "{url}");
        assert!(refused.json()["fields"]["url"].is_string(), "{url}: {}", refused.body);
    }
    for (name, value) in [
        ("description", json!("")),
        ("description", json!("x".repeat(81))),
        ("kinds", json!([])),
        ("kinds", json!(["reservation.eaten"])),
    ] {
        let mut form = json!({
            "url": "https://hooks.example.com/in", "description": "Accounting", "kinds": RESERVATIONS,
        });
        form[name] = value;
        let refused = admin.post_json("/admin/webhooks", &form).await;
        assert_eq!(refused.status, 422, "{}", refused.body);
        assert!(refused.json()["fields"][name].is_string(), "{name}: {}", refused.body);
    }
    let page = admin.submit("/admin/webhooks", &[("url", "https://127.0.0.1/in")]).await;
    assert_eq!(page.status, 422);
    assert!(page.has("[name='url'][value='https://127.0.0.1/in']"), "{}", page.body);
    assert_eq!(read_one::<i64>(&db, "select count(*) from webhook_endpoints").await, 0);
    office.close().await;
}

/// A name may resolve to another address than when the endpoint was registered.
#[sqlx::test]
async fn an_address_that_became_private_is_refused_when_it_is_connected_to(db: PgPool) {
    let open = Office::open_with(db.clone(), 1, &[PRIVATE]).await;
    let receiver = HookReceiver::start().await;
    let admin = open.employ("admin", "ADMIN").await;
    register(&admin, &receiver.href()).await;
    open.close().await;
    let office = Office::open_with(db.clone(), 1, &[]).await;
    let concert = Concert::usual(&db).await;
    for (nth, host) in ["localhost", "127.0.0.1"].into_iter().enumerate() {
        let url = format!("https://{host}:{}/in", receiver.port);
        run_sql_with(&db, "update webhook_endpoints set url = $1", url).await;
        let ada = office.sign_in("ada").await;
        let hold = Hold { seat_ids: &concert.seat_ids[nth..=nth], ..Hold::default() };
        let id = hold.write(&db, &concert, ada.account_id).await;
        let gone = ada.post(&format!("/reservations/{id}/cancellation"), &()).await;
        assert_eq!(gone.status, 200, "{}", gone.body);
        let sql =
            "select count(*) from webhook_deliveries where last_error like '%private address%'";
        let expected = i64::try_from(nth + 1).unwrap();
        until("a refusal", async || read_one::<i64>(&db, sql).await == expected).await;
    }
    assert!(receiver.received().is_empty());
    run_sql(&db, "update webhook_endpoints set paused_at = now()").await;
    office.close().await;
}
