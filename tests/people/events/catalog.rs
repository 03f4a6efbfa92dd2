//! What programs, their performances and their queues tell.

use serde_json::{Value, json};
use sqlx::PgPool;
use uuid::Uuid;

use super::{listen, told, told_of};
use crate::support::{Concert, Office, read_one, run_sql};

#[sqlx::test]
async fn a_program_tells_what_is_decided_about_it_in_order(db: PgPool) {
    let office = Office::open(db.clone()).await;
    let concert = Concert::usual(&db).await;
    run_sql(&db, "update programs set status = 'DRAFT'").await;
    listen(&db, "program.published,program.changed,program.cancelled,queue.paused,queue.resumed")
        .await;
    let admin = office.employ("admin", "ADMIN").await;
    let path = format!("/admin/programs/{}", concert.program_id);
    let limits =
        |version| [("version", version), ("queue_capacity", "9"), ("queue_rate_per_second", "")];
    let done = [
        admin.post(&format!("{path}/queue"), &limits("0")).await,
        admin.post(&format!("{path}/publication"), &[("version", "1")]).await,
        admin.post(&format!("{path}/queue"), &limits("2")).await,
        admin.post(&format!("{path}/queue/pause"), &[("version", "3")]).await,
        admin.post(&format!("{path}/queue/resumption"), &[("version", "4")]).await,
        admin
            .post(&format!("{path}/cancellation"), &[("version", "5"), ("reason", "a flood")])
            .await,
    ];
    for answer in done {
        assert_eq!(answer.status, 200, "{}", answer.body);
    }
    let stale = admin.post(&format!("{path}/queue"), &limits("0")).await;
    assert_eq!(stale.status, 409, "{}", stale.body);
    let expected = [
        "program.published",
        "program.changed",
        "queue.paused",
        "queue.resumed",
        "program.cancelled",
    ];
    assert_eq!(told_of(&db, concert.program_id).await, expected, "and a draft tells nothing");
    let payload: Value =
        read_one(&db, "select payload from domain_events where kind = 'program.cancelled'").await;
    assert_eq!(payload["program_id"], concert.program_id.to_string());
    assert_eq!(payload["slug"], concert.slug);
    assert_eq!((&payload["status"], &payload["version"]), (&"CANCELLED".into(), &6.into()));
    office.close().await;
}

#[sqlx::test]
async fn prices_hidden_sections_stopped_clocks_and_letters_are_told_once_and_of_no_draft(
    db: PgPool,
) {
    const KINDS: &str = "performance.repriced,performance.section-hidden,performance.section-shown,\
        queue.clock-stopped,queue.clock-restarted,letter.released";
    let office = Office::open(db.clone()).await;
    let concert = Concert::usual(&db).await;
    listen(&db, KINDS).await;
    let admin = office.employ("admin", "ADMIN").await;
    let schedule = format!("/admin/schedules/{}", concert.schedule_id);
    let program = format!("/admin/programs/{}", concert.program_id);
    let version =
        async || admin.get(&schedule).await.json()["schedule"]["version"].as_i64().unwrap();
    let send = async |path: String, form: Value| {
        let answer = admin.post_json(&path, &form).await;
        assert!(matches!(answer.status, 200 | 201), "{path}: {}", answer.body);
        answer.json()
    };
    let reprice = async |price: i64| {
        let form = json!({ "version": version().await, "section": "Stalls", "price": price });
        send(format!("{schedule}/prices"), form).await;
    };
    let hide = async |act: &str| {
        let form = json!({ "version": version().await, "section": "Standing", "act": act });
        send(format!("{schedule}/hidden-sections"), form).await;
    };
    run_sql(&db, "update programs set status = 'DRAFT'").await;
    reprice(60_000).await;
    hide("hide").await;
    run_sql(&db, "update programs set status = 'PUBLISHED'").await;
    hide("show").await;
    hide("hide").await;
    reprice(61_000).await;
    reprice(61_000).await;
    send(format!("{program}/queue/clock/stop"), json!({ "reason": "a flood" })).await;
    assert_eq!(admin.post(&format!("{program}/queue/clock/restart"), &()).await.status, 200);
    let words = json!({ "subject_en": "Boats", "words_en": "Come by boat." });
    let letter = send(format!("{program}/letters"), words).await;
    let release = format!("/admin/letters/{}/release", letter["id"].as_str().unwrap());
    assert_eq!(admin.post(&release, &()).await.status, 200);
    let of_show =
        ["performance.section-shown", "performance.section-hidden", "performance.repriced"];
    assert_eq!(told_of(&db, concert.schedule_id).await, of_show);
    let of_program = ["queue.clock-stopped", "queue.clock-restarted", "letter.released"];
    assert_eq!(told_of(&db, concert.program_id).await, of_program);
    let payload: Value =
        read_one(&db, "select payload from domain_events where kind = 'performance.repriced'")
            .await;
    assert_eq!(payload["prices"], json!([{ "of": "Stalls", "was": 60_000, "now": 61_000 }]));
    assert_eq!(payload["slug"], concert.slug);
    office.close().await;
}

#[sqlx::test]
async fn a_performance_tells_that_it_is_added_moved_and_cancelled_once_its_program_is_public(
    db: PgPool,
) {
    let office = Office::open(db.clone()).await;
    let concert = Concert::usual(&db).await;
    listen(&db, "performance.added,performance.moved,performance.cancelled").await;
    let admin = office.employ("admin", "ADMIN").await;
    let venue_id: Uuid = read_one(&db, "select id from venues").await;
    let add = format!("/admin/programs/{}/schedules", concert.program_id);
    let at =
        |starts_at: &str| [("venue_id", venue_id.to_string()), ("starts_at", starts_at.into())];
    let added = admin.post(&add, &at("2030-03-01T20:00")).await;
    assert_eq!(added.status, 201, "{}", added.body);
    let id: Uuid = added.json()["id"].as_str().unwrap().parse().unwrap();
    let move_to = async |version: &str, starts_at: &str| {
        let form = [("version", version), ("starts_at", starts_at)];
        let moved = admin.post(&format!("/admin/schedules/{id}"), &form).await;
        assert_eq!(moved.status, 200, "{}", moved.body);
    };
    move_to("0", "2030-03-02T20:00").await;
    move_to("1", "2030-03-02T20:00").await;
    assert_eq!(told_of(&db, id).await, ["performance.added", "performance.moved"]);
    let payload: Value =
        read_one(&db, "select payload from domain_events where kind = 'performance.moved'").await;
    assert_eq!(payload["program_id"], concert.program_id.to_string());
    assert!(payload["starts_at"].as_str().unwrap().starts_with("2030-03-02T11:00:00"), "{payload}");

    run_sql(&db, "update programs set status = 'DRAFT'").await;
    move_to("2", "2030-03-03T20:00").await;
    assert_eq!(admin.post(&add, &at("2030-03-05T20:00")).await.status, 201);
    assert_eq!(told(&db).await.len(), 2, "nobody sees a draft");
    run_sql(&db, "update programs set status = 'PUBLISHED'").await;
    let reason = [("version", "3"), ("reason", "The stage is wet.")];
    let cancelled = admin.post(&format!("/admin/schedules/{id}/cancellation"), &reason).await;
    assert_eq!(cancelled.status, 200, "{}", cancelled.body);
    assert_eq!(told(&db).await.len(), 3);
    assert_eq!(told_of(&db, id).await.last().unwrap(), "performance.cancelled");
    office.close().await;
}
