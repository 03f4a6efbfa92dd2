//! What the log is told of refusals and failures, and what clients are not.

use reqwest::Method;
use sqlx::PgPool;

use crate::support::{ChildInstance, Office, run_sql};

#[sqlx::test]
async fn whoever_asks_for_what_is_not_theirs_is_told_to_the_log(db: PgPool) {
    let mut office = Office::open_with(db, 1, &[]).await;
    let (ada, staff) = (office.sign_in("ada").await, office.employ("door", "STAFF").await);
    let stranger = office.stranger();
    office.leave().await;
    let mut child = ChildInstance::start_with(&office, &[("LOG", "info")]).await;
    let (ada, staff) = (child.moved(&ada), child.moved(&staff));
    assert_eq!(ada.get("/door").await.status, 403);
    assert_eq!(staff.get("/admin/people").await.status, 403);
    let key = child.moved(&stranger).asks(Method::GET, "/admin/programs", "application/json");
    let key = key.header("authorization", "Bearer nonsense\u{9}event=\"admin-act\"");
    assert_eq!(stranger.send(key).await.status, 401);
    child.ask_to_stop().await;
    assert!(child.ended().await.success());
    let log = child.log();
    let told: Vec<&str> =
        log.lines().filter(|line| line.contains("event=\"access-denied\"")).collect();
    assert_eq!(told.len(), 3, "{log}");
    assert!(told.iter().all(|line| line.contains(" client=127.0.0.1 ")), "{told:?}");
    for (line, person) in told.iter().zip([&ada, &staff]) {
        assert!(line.contains(&format!("account_id={}", person.account_id)), "{line}");
    }
    assert!(!log.contains("nonsense"), "{log}");
}

/// The database answers what the office does not expect: nobody outside learns what, and nothing is let pass.
#[sqlx::test]
async fn what_fails_inside_is_not_told_outside(db: PgPool) {
    let office = Office::open_with(db.clone(), 1, &[]).await;
    let (ada, admin) = (office.sign_in("ada").await, office.employ("admin", "ADMIN").await);
    run_sql(&db, "alter table wallets rename to elsewhere").await;
    run_sql(&db, "alter table audit_log rename to elsewhere_too").await;
    for (person, method, path) in [
        (&ada, Method::GET, "/wallet"),
        (&ada, Method::POST, "/wallet/charges"),
        (&admin, Method::GET, "/admin/audit"),
    ] {
        for accept in ["text/html", "application/json"] {
            let asked = person.asks(method.clone(), path, accept).form(&[("amount", 1)]);
            let answer = person.send(asked).await;
            assert_eq!(answer.status, 500, "{path}: {}", answer.body);
            for inside in [
                "wallets",
                "audit_log",
                "relation",
                "sqlx",
                "select",
                "postgres",
                "panicked",
                ".rs",
            ] {
                assert!(!answer.body.to_lowercase().contains(inside), "{inside}: {}", answer.body);
            }
            assert_eq!(answer.header("x-request-id").len(), 36);
        }
    }
    // Sessions that cannot be read open nothing.
    run_sql(&db, "alter table sessions rename to elsewhere_as_well").await;
    for path in ["/account", "/admin", "/tickets"] {
        let answer = admin.get(path).await;
        assert!((500..600).contains(&answer.status), "{path}: {}", answer.body);
    }
    office.close_as_it_is().await;
}
