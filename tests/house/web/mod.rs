//! What every answer has, whichever page gives it.

mod assets;
mod encoding;
mod languages;
mod uploads;

use reqwest::Method;
use sqlx::PgPool;

use crate::support::{Concert, Office};

#[sqlx::test]
async fn every_answer_is_safe_to_show_and_can_be_found_in_the_log(db: PgPool) {
    let office = Office::open(db).await;
    let stranger = office.stranger();
    for path in ["/", "/login", "/nowhere", "/healthz"] {
        let answer = stranger.visit(path).await;
        assert_eq!(answer.header("x-request-id").len(), 36, "{path}");
        assert_eq!(answer.header("x-content-type-options"), "nosniff", "{path}");
        let policy = answer.header("content-security-policy");
        assert!(policy.contains("script-src 'self'") && !policy.contains("unsafe"), "{path}");
        assert!(!answer.has("script:not([src])") && !answer.has("[style]"), "{path}");
    }
    office.close().await;
}

#[sqlx::test]
async fn a_failure_is_a_page_for_people_and_a_problem_for_programs(db: PgPool) {
    let office = Office::open(db).await;
    let stranger = office.stranger();
    let page = stranger.visit("/nowhere").await;
    assert_eq!(page.status, 404);
    assert!(page.has("html[lang='en']") && page.has("[href='/']"));
    let problem = stranger.get("/nowhere").await;
    assert_eq!(problem.status, 404);
    assert_eq!(problem.header("content-type"), "application/problem+json");
    assert_eq!(problem.code(), "not-found");
    assert_eq!(problem.json()["status"], 404);
    office.close().await;
}

#[sqlx::test]
async fn a_wrong_method_is_told_the_right_ones(db: PgPool) {
    let office = Office::open(db).await;
    let answer = office.stranger().post("/healthz", &()).await;
    assert_eq!((answer.status, answer.header("allow")), (405, "GET"));
    office.close().await;
}

#[sqlx::test]
async fn cross_site_writes_are_refused(db: PgPool) {
    let office = Office::open(db).await;
    let stranger = office.stranger();
    let host = office.base(0);
    let cases = [
        ("sec-fetch-site", "cross-site", 403),
        ("sec-fetch-site", "same-site", 403),
        ("sec-fetch-site", "same-origin", 204),
        ("sec-fetch-site", "none", 204),
        ("origin", "https://evil.example", 403),
        ("origin", "null", 403),
        ("origin", host.as_str(), 204),
        ("x-nothing", "sent", 204),
    ];
    for (name, value, status) in cases {
        let request = stranger.asks(Method::POST, "/logout", "application/json");
        let answer = stranger.send(request.header(name, value)).await;
        assert_eq!(answer.status, status, "{name}: {value}");
    }
    office.close().await;
}

#[sqlx::test]
async fn a_body_that_cannot_be_read_is_refused_by_its_reason(db: PgPool) {
    let office = Office::open(db).await;
    let stranger = office.stranger();
    let login = || stranger.asks(Method::POST, "/login", "application/json");
    let json = "application/json";
    for broken in ["", "{", "[]", r#"["ada@example.com", "secret", "/"]"#, "null", "7"] {
        let broken = stranger.send(login().header("content-type", json).body(broken)).await;
        assert_eq!((broken.status, broken.code().as_str()), (400, "bad-request"));
    }
    let strange = stranger.send(login().header("content-type", "text/csv").body("a,b")).await;
    assert_eq!((strange.status, strange.code().as_str()), (415, "unsupported-media-type"));
    let large = "x".repeat(70_000);
    let large = stranger.send(login().header("content-type", json).body(large)).await;
    assert_eq!((large.status, large.code().as_str()), (413, "body-too-large"));
    office.close().await;
}

/// No text in the database can hold the character 0, and any address or field can.
#[sqlx::test]
async fn a_text_that_cannot_be_stored_is_a_bad_request_and_no_accident(db: PgPool) {
    let office = Office::open(db.clone()).await;
    let concert = Concert::usual(&db).await;
    let admin = office.employ("admin", "ADMIN").await;
    admin.post(&format!("/programs/{}/queue", concert.slug), &()).await;
    for path in [
        "/admin/people?q=a%00".to_owned(),
        "/admin/reservations?q=%00".to_owned(),
        "/admin/programs?q=%00".to_owned(),
        "/admin/audit?who=%00&act=%00&subject=%00".to_owned(),
        format!("/schedules/{}?section=%00", concert.schedule_id),
        format!("/programs/%00{}", concert.slug),
        "/tickets/%00".to_owned(),
    ] {
        for answer in [admin.get(&path).await, admin.visit(&path).await] {
            assert!(answer.status < 500, "{path}: {}", answer.status);
        }
    }
    let best = [("best", "2"), ("section", "\0")];
    let path = format!("/schedules/{}/reservations", concert.schedule_id);
    let refused = admin.post(&path, &best).await;
    assert!((400..500).contains(&refused.status), "{}", refused.body);
    office.close().await;
}

#[sqlx::test]
async fn pages_speak_the_language_of_the_browser_and_then_the_chosen_one(db: PgPool) {
    let office = Office::open(db).await;
    let stranger = office.stranger();
    let korean = stranger.asks(Method::GET, "/", "text/html");
    let korean = korean.header("accept-language", "de, ko-KR;q=0.8, en;q=0.5");
    assert!(stranger.send(korean).await.has("html[lang='ko']"));
    let switched = stranger.submit("/language", &[("lang", "ko"), ("next", "/login")]).await;
    assert_eq!((switched.status, switched.location()), (303, "/login"));
    assert!(stranger.visit("/login").await.has("html[lang='ko']"));
    let astray = stranger.submit("/language", &[("lang", "en"), ("next", "//evil.example")]).await;
    assert_eq!(astray.location(), "/");
    office.close().await;
}

#[sqlx::test]
async fn an_instance_says_whether_it_is_ready(db: PgPool) {
    let office = Office::open(db).await;
    let answer = office.stranger().get("/readyz").await;
    assert_eq!(answer.status, 200, "{}", answer.body);
    assert_eq!(answer.json()["redis"], "ready");
    office.close().await;
}

#[sqlx::test]
async fn readiness_does_not_fail_when_redis_is_away(db: PgPool) {
    let nobody = ("REDIS_URL", "redis://127.0.0.1:1");
    let office = Office::open_with(db, 1, &[nobody]).await;
    let answer = office.stranger().get("/readyz").await;
    assert_eq!((answer.status, &answer.json()["redis"]), (200, &"away".into()));
    office.close_as_it_is().await;
}
