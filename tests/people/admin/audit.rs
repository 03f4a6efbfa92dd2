//! The log of every act, and refusals that name their reason.

use serde_json::{Value, json};
use sqlx::PgPool;

use super::{field, make_venue, program, with};
use crate::support::{Office, acts, run_sql};

#[sqlx::test]
async fn an_act_is_kept_for_good_with_how_it_was_before_and_after(db: PgPool) {
    let office = Office::open_with(db.clone(), 1, &[]).await;
    let admin = office.employ("mina", "ADMIN").await;
    let venue = make_venue(&admin, "Stalls, 1, 2").await;
    let path = format!("/admin/venues/{venue}");
    let edit = |version, name| {
        [("version", version), ("name", name), ("address", "Busan"), ("time_zone", "Asia/Seoul")]
    };
    assert_eq!(admin.post(&path, &edit("1", "Another hall")).await.status, 200);
    let stale = admin.submit(&path, &edit("1", "A third one")).await;
    assert_eq!(stale.status, 409);
    assert!(stale.texts("ins").contains(&"Another hall".to_owned()), "{}", stale.body);

    let made = admin.post("/admin/programs", &program("Hamlet", "hamlet")).await;
    let program = field(&made, "id").as_str().unwrap().to_owned();
    let schedules = format!("/admin/programs/{program}/schedules");
    let moment = [("venue_id", venue.as_str()), ("starts_at", "2030-03-01T20:00")];
    let schedule = field(&admin.post(&schedules, &moment).await, "id");
    let schedule = format!("/admin/schedules/{}", schedule.as_str().unwrap());
    let later = [("version", "0"), ("starts_at", "2030-03-02T21:30")];
    assert_eq!(admin.post(&schedule, &later).await.status, 200);
    assert_eq!(admin.post(&schedule, &later).await.code(), "changed-meanwhile");

    let expected = [
        "venue-created",
        "seats-replaced",
        "venue-edited",
        "program-created",
        "schedule-created",
        "schedule-edited",
    ];
    assert_eq!(acts(&db).await, expected);
    let log = admin.get("/admin/audit?who=mina&act=venue-edited").await.json();
    let act = &log["acts"][0];
    assert_eq!(
        (&act["before"]["name"], &act["after"]["name"]),
        (&json!("A hall"), &json!("Another hall"))
    );
    assert_eq!((&act["subject_id"], &act["account_id"]), (&json!(venue), &json!(admin.account_id)));
    let log = admin.get("/admin/audit?act=schedule-edited").await.json();
    let starts = ["before", "after"].map(|side| log["acts"][0][side]["starts_at"].clone());
    assert_eq!(starts, [json!("2030-03-01T11:00:00Z"), json!("2030-03-02T12:30:00Z")]);
    assert_eq!(admin.get("/admin/audit?who=jun").await.json()["acts"], json!([]));
    let page = admin.visit(&format!("/admin/audit?subject={venue}")).await;
    assert!(page.texts("ins").contains(&"Another hall".to_owned()), "{}", page.body);

    for forgery in
        ["update audit_log set act = 'nothing'", "delete from audit_log", "truncate audit_log"]
    {
        let refused = sqlx::query(forgery).execute(&db).await.unwrap_err().to_string();
        assert!(refused.contains("append-only"), "{forgery}: {refused}");
    }
    assert_eq!(acts(&db).await, expected);
    office.close().await;
}

/// A browser gets the page it came from, with the reason and what was typed.
#[sqlx::test]
async fn what_makes_no_sense_is_shown_on_the_page_it_was_typed_on(db: PgPool) {
    let office = Office::open_with(db.clone(), 1, &[]).await;
    let admin = office.employ("mina", "ADMIN").await;
    let venue = make_venue(&admin, "Stalls, 1, 2").await;
    let made = admin.post("/admin/programs", &program("Hamlet", "hamlet")).await;
    let program_path = format!("/admin/programs/{}", field(&made, "id").as_str().unwrap());
    // What has no form yet has nothing to be refused on.
    run_sql(&db, "update programs set status = 'PUBLISHED'").await;
    let person = format!("/admin/people/{}", office.sign_in("ada").await.account_id);
    let line = format!("{program_path}/queue");
    let limits = |capacity| [("version", "0"), ("queue_capacity", capacity), ("predict", "1")];
    let number = "Please enter a whole number above zero.";
    for capacity in ["0", "-1", "many"] {
        let refused = admin.submit(&line, &limits(capacity)).await;
        assert_eq!(refused.status, 422);
        assert!(refused.body.contains(number) && refused.has("[aria-invalid]"));
        assert!(refused.has(&format!("[value='{capacity}']")), "{}", refused.body);
        let asked = admin.visit(&format!("{line}?predict=1&queue_capacity={capacity}")).await;
        assert_eq!(asked.status, 422);
        assert!(asked.body.contains(number), "{}", asked.body);
    }
    let first = with(&[], &[("venue_id", venue.as_str()), ("starts_at", "2030-03-01T20:00")]);
    let schedules = format!("{program_path}/schedules");
    assert_eq!(admin.submit(&schedules, &first).await.status, 303);
    let cases = [
        (&schedules, first.clone(), 409, "has a performance at this time"),
        (
            &schedules,
            with(&first, &[("starts_at", "soon")]),
            422,
            "Please enter a date and a time.",
        ),
        (&format!("{person}/lock"), with(&[], &[("reason", "")]), 422, "Please give a reason"),
        (
            &format!("{person}/adjustments"),
            with(&[], &[("amount", "0"), ("reason", "a gift")]),
            422,
            "10,000,000",
        ),
        (
            &format!("{person}/role"),
            with(&[], &[("from", "CUSTOMER"), ("role", "KING")]),
            422,
            "Please give a reason",
        ),
        (&format!("{line}/purge"), with(&[], &[("reason", "")]), 422, "Please give a reason"),
    ];
    for (path, form, status, reason) in cases {
        let refused = admin.submit(path, &form).await;
        assert_eq!(refused.status, status, "{path}: {}", refused.body);
        assert!(refused.body.contains(reason), "{path}: {reason}: {}", refused.body);
        assert!(refused.has("[class='admin']"), "{path}");
    }
    for search in ["people?q", "reservations?q", "programs?q", "audit?who", "audit.csv?act"] {
        let garbled = admin.get(&format!("/admin/{search}=a%00b")).await;
        assert_eq!((garbled.status, garbled.code().as_str()), (400, "bad-request"), "{search}");
    }
    let kept: Value = admin.get(&line).await.json()["program"].clone();
    assert_eq!((&kept["queue_capacity"], &kept["version"]), (&json!(100), &json!(0)));
    office.close().await;
}
