//! What keeps an office that is for trying apart from one that is for selling.

use sqlx::PgPool;
use stagedoor::{
    demo,
    server::{Warning, list_warnings},
};

use crate::support::{Answer, ChildInstance, Office, Person, free_port, run_sql};

const TOKEN: &str = "a token that only the monitoring knows";

async fn metrics_with(person: &Person, token: &str) -> Answer {
    let request = person.asks(reqwest::Method::GET, "/metrics", "text/plain");
    person.send(request.bearer_auth(token)).await
}

#[sqlx::test]
async fn metrics_are_open_only_where_nobody_else_listens(db: PgPool) {
    let private = Office::open_with(db.clone(), 1, &[]).await;
    assert_eq!(private.stranger().visit("/metrics").await.status, 200);
    private.close().await;
    for settings in [
        [("PUBLIC_URL", "https://tickets.example"), ("PAYMENT_PROVIDER", "demo")],
        [("PUBLIC_URL", "http://localhost:8080"), ("LOG_FORMAT", "text")],
        [("LISTEN_ADDR", "0.0.0.0:0"), ("LOG_FORMAT", "text")],
    ] {
        let office = Office::open_with(db.clone(), 1, &settings).await;
        // An instance that listens on all addresses is reached by loopback as well.
        let base = office.base(0).replace("0.0.0.0", "127.0.0.1");
        let stranger = office.stranger().at(&base);
        let refused = stranger.get("/metrics").await;
        let told = (refused.status, refused.code());
        assert_eq!(told, (404, "not-found".to_owned()), "{settings:?}");
        assert_eq!(metrics_with(&stranger, "").await.status, 404);
        assert_eq!(metrics_with(&stranger, TOKEN).await.status, 404);
        office.close().await;
    }
}

#[sqlx::test]
async fn a_token_opens_the_metrics_and_nothing_else_does(db: PgPool) {
    for public_url in ["", "https://tickets.example"] {
        let settings =
            [("PUBLIC_URL", public_url), ("METRICS_TOKEN", TOKEN), ("PAYMENT_PROVIDER", "demo")];
        let office = Office::open_with(db.clone(), 1, &settings).await;
        let (stranger, longer) = (office.stranger(), format!("{TOKEN}!"));
        for wrong in ["", "wrong", &TOKEN[1..], longer.as_str()] {
            assert_eq!(metrics_with(&stranger, wrong).await.status, 404, "{wrong}");
        }
        assert_eq!(stranger.visit("/metrics").await.status, 404);
        let told = metrics_with(&stranger, TOKEN).await;
        assert!(told.status == 200 && told.body.contains("stagedoor_redis_up"), "{}", told.body);
        office.close().await;
    }
}

#[sqlx::test]
async fn metrics_have_a_listener_of_their_own_where_one_is_set(db: PgPool) {
    let address = format!("127.0.0.1:{}", free_port());
    let settings = [("METRICS_ADDR", address.as_str())];
    let office = Office::open_with(db.clone(), 1, &settings).await;
    let stranger = office.stranger();
    let apart = async |path: &str| reqwest::get(format!("http://{address}{path}")).await.unwrap();
    let told = apart("/metrics").await;
    assert_eq!(told.status(), 200);
    assert!(told.text().await.unwrap().contains("stagedoor_redis_up"));
    assert_eq!(apart("/login").await.status(), 404, "nothing else is served there");
    assert_eq!(stranger.visit("/metrics").await.status, 404);
    office.close().await;
}

#[sqlx::test]
async fn serve_warns_once_of_what_is_only_for_trying(db: PgPool) {
    let settings = [("LISTEN_ADDR", "0.0.0.0:0")];
    let office = Office::open_with(db.clone(), 1, &settings).await;
    let warnings = list_warnings(&office.app).await.unwrap();
    assert_eq!(warnings, [Warning::SimulatedPayment, Warning::PlainHttp]);
    assert!(demo::load(&office.app.db).await.unwrap());
    assert_eq!(list_warnings(&office.app).await.unwrap()[0], Warning::DemoLogIns);

    let settings = [("PUBLIC_URL", "http://tickets.example"), ("LOG_FORMAT", "text")];
    let mut child = ChildInstance::start_with(&office, &settings).await;
    let log = child.log();
    for said in ["Demo log-ins exist", "Payment is simulated", "plain http"] {
        let lines: Vec<&str> = log.lines().filter(|line| line.contains(said)).collect();
        assert!(lines.len() == 1 && lines[0].contains("WARN"), "{said}: {log}");
    }
    child.kill();
    run_sql(&db, "update accounts set locked_at = now()").await;
    assert!(!list_warnings(&office.app).await.unwrap().contains(&Warning::DemoLogIns));
    office.close().await;
}

#[sqlx::test]
async fn https_and_this_machine_need_no_warning(db: PgPool) {
    for (public_url, is_plain) in [
        ("", false),
        ("https://tickets.example", false),
        ("http://localhost:8080", false),
        ("http://127.0.0.1:8080", false),
        ("http://[::1]:8080", false),
        ("http://localhost.example", true),
        ("http://192.0.2.7", true),
    ] {
        let office = Office::open_with(
            db.clone(),
            1,
            &[("PUBLIC_URL", public_url), ("PAYMENT_PROVIDER", "demo")],
        )
        .await;
        let warnings = list_warnings(&office.app).await.unwrap();
        assert_eq!(warnings.contains(&Warning::PlainHttp), is_plain, "{public_url}");
        office.close().await;
    }
}
