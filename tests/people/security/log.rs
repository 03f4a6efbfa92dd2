//! What the log says of refusals and failures, and what clients do not see.

use reqwest::Method;
use sqlx::PgPool;

use crate::support::{ChildInstance, Office, Raw, run_sql};

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

/// The database answers what the office does not expect: no client learns what, and nothing is let
/// pass.
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

#[sqlx::test]
async fn requests_that_cannot_be_read_are_told_with_their_client_and_do_not_fill_the_disk(
    db: PgPool,
) {
    const MALFORMED: usize = 200;
    let mut office = Office::open_with(db, 1, &[]).await;
    office.leave().await;
    let mut child = ChildInstance::start_with(&office, &[("LOG", "info")]).await;
    for nth in 0..MALFORMED {
        let garbage = ["GET / HTTP/9.9\r\n\r\n", "\u{1}\u{2}\r\n\r\n", "GET\r\n\r\n"][nth % 3];
        let mut raw = Raw::send(&child.base, garbage).await;
        raw.ended().await;
    }
    child.ask_to_stop().await;
    assert!(child.ended().await.success());
    let log = child.log();
    assert!(!log.contains("stream error"), "{log}");
    let told: Vec<&str> =
        log.lines().filter(|line| line.contains("event=\"request-malformed\"")).collect();
    assert!((10..=60).contains(&told.len()), "{} lines: {log}", told.len());
    assert!(told.iter().all(|line| line.contains(" client=127.0.0.1 ")), "{told:?}");
}

#[sqlx::test]
async fn headers_of_proxies_are_read_with_ports_and_doubts_are_told_once_a_minute(db: PgPool) {
    let mut office = Office::open_with(db, 1, &[]).await;
    let stranger = office.stranger();
    office.leave().await;
    for (trusted, header, value, client, doubted) in [
        ("127.0.0.0/8", "x-forwarded-for", "192.0.2.7:52044", "192.0.2.7", false),
        ("127.0.0.0/8", "x-forwarded-for", "[2001:db8::1]:443", "2001:db8::1", false),
        ("127.0.0.0/8", "forwarded", "for=1.1.1.1, for=\"[2001:db8::2]:1\"", "2001:db8::2", false),
        ("127.0.0.0/8", "x-forwarded-for", "no address", "127.0.0.1", true),
        ("10.0.0.0/8", "x-forwarded-for", "192.0.2.7", "127.0.0.1", true),
    ] {
        let settings = [("LOG", "info"), ("TRUSTED_PROXIES", trusted)];
        let mut child = ChildInstance::start_with(&office, &settings).await;
        let guesser = child.moved(&stranger);
        for nth in 0..5 {
            let request = guesser.asks(Method::POST, "/login", "application/json");
            let form =
                [("email", format!("a{nth}@example.com")), ("password", "a guess or so".into())];
            let answer = guesser.send_form(request.header(header, value), &form).await;
            assert_eq!(answer.status, 401, "{}", answer.body);
        }
        child.ask_to_stop().await;
        assert!(child.ended().await.success());
        let log = child.log();
        let failed = log.lines().filter(|line| line.contains("event=\"log-in-failed\""));
        let of_client = format!(" client={client} ");
        assert!(failed.clone().count() == 5, "{log}");
        assert!(failed.clone().all(|line| line.contains(&of_client)), "{value}: {log}");
        let doubts = log.lines().filter(|line| line.contains("X-Forwarded-For or Forwarded"));
        assert_eq!(doubts.count(), usize::from(doubted), "{value}: {log}");
    }
}
