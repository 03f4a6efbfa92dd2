//! Times that staff type: on the clock on which they were shown, twice in an hour that comes
//! twice, never in one that does not come.

use sqlx::PgPool;

use super::{field, program, with};
use crate::support::{Answer, Office, Person, read_one, run_sql};

/// The value that a page shows in a field.
fn shown(page: &Answer, name: &str) -> String {
    page.attribute(&format!("[name='{name}']"), "value")
}

async fn venue(admin: &Person, time_zone: &str) -> String {
    let form = [("name", "A hall"), ("address", ""), ("time_zone", time_zone)];
    let made = admin.post("/admin/venues", &form).await;
    field(&made, "id").as_str().unwrap().to_owned()
}

async fn starts_at(db: &PgPool) -> String {
    read_one(
        db,
        "select to_char(starts_at at time zone 'UTC', 'YYYY-MM-DD HH24:MI:SS.MS') from schedules",
    )
    .await
}

#[sqlx::test]
async fn a_new_title_moves_no_sale_whatever_clock_counts_by_then(db: PgPool) {
    let office = Office::open_with(db.clone(), 1, &[]).await;
    let admin = office.employ("admin", "ADMIN").await;
    let made = admin.post("/admin/programs", &program("Hamlet", "hamlet")).await;
    let path = format!("/admin/programs/{}", field(&made, "id").as_str().unwrap());
    // Opened while the program has no performance: on Seoul's clock.
    let page = admin.visit(&path).await;
    let names = ["time_zone", "on_sale_at", "on_sale_at_shown", "off_sale_at", "off_sale_at_shown"];
    let values = names.map(|name| (name, shown(&page, name)));
    assert_eq!(values[0].1, "Asia/Seoul");
    let new_york = venue(&admin, "America/New_York").await;
    let moment = [("venue_id", new_york.as_str()), ("starts_at", "2030-03-01T20:00")];
    assert_eq!(admin.post(&format!("{path}/schedules"), &moment).await.status, 201);

    let mut form = with(&program("Macbeth", "hamlet"), &[("version", "0")]);
    for (name, value) in &values {
        form = with(&form, &[(name, value)]);
    }
    assert_eq!(admin.submit(&path, &form).await.status, 303);
    let kept: (String, String) = sqlx::query_as(
        "select title, to_char(on_sale_at at time zone 'UTC', 'YYYY-MM-DD HH24:MI') from programs",
    )
    .fetch_one(&db)
    .await
    .unwrap();
    assert_eq!(kept, ("Macbeth".to_owned(), "2030-01-02 10:00".to_owned()));
    let page = admin.visit(&path).await;
    assert_eq!(shown(&page, "time_zone"), "America/New_York");
    assert_eq!(shown(&page, "on_sale_at"), "2030-01-02T05:00");
    office.close().await;
}

#[sqlx::test]
async fn an_hour_that_comes_twice_is_kept_or_asked_about_and_one_that_never_comes_refused(
    db: PgPool,
) {
    let office = Office::open_with(db.clone(), 1, &[]).await;
    let admin = office.employ("admin", "ADMIN").await;
    let made = admin.post("/admin/programs", &program("Hamlet", "hamlet")).await;
    let path = format!("/admin/programs/{}/schedules", field(&made, "id").as_str().unwrap());
    let new_york = venue(&admin, "America/New_York").await;
    let form = |moment: &str, offset: &str| {
        [
            ("venue_id", new_york.clone()),
            ("starts_at", moment.to_owned()),
            ("starts_at_offset", offset.to_owned()),
        ]
    };
    let twice = admin.submit(&path, &form("2030-11-03T01:30", "")).await;
    assert_eq!(twice.status, 422);
    for part in ["value=\"-04:00\"", "value=\"-05:00\"", "2030-11-03T01:30", "comes twice"] {
        assert!(twice.body.contains(part), "{part}: {}", twice.body);
    }
    for (moment, reason) in [
        ("2030-11-03T01:30", "admin-refusal-moment-twice"),
        ("2030-03-10T02:30", "admin-refusal-moment-skipped"),
    ] {
        let refused = admin.post(&path, &form(moment, "")).await;
        assert_eq!((refused.status, refused.code().as_str()), (422, "invalid"));
        assert_eq!(refused.json()["fields"]["starts_at"], reason);
    }
    let made = admin.post(&path, &form("2030-11-03T01:30", "-04:00")).await;
    assert_eq!(made.status, 201, "{}", made.body);
    assert_eq!(starts_at(&db).await, "2030-11-03 05:30:00.000");

    // Saved as it is shown, by the form and by a program that sends the text alone.
    run_sql(&db, "update schedules set starts_at = starts_at + interval '250 milliseconds'").await;
    let path = format!("/admin/schedules/{}", field(&made, "id").as_str().unwrap());
    let page = admin.visit(&path).await;
    let carried = |version: &str, offset: &str| {
        let fields = ["time_zone", "starts_at", "starts_at_shown"];
        let mut form = fields.map(|name| (name, shown(&page, name))).to_vec();
        form.push(("version", version.to_owned()));
        form.push(("starts_at_offset", offset.to_owned()));
        form
    };
    assert_eq!(admin.submit(&path, &carried("0", "-04:00")).await.status, 303);
    assert_eq!(admin.submit(&path, &carried("1", "")).await.status, 303);
    let text = [("version", "2"), ("starts_at", "2030-11-03T01:30")];
    assert_eq!(admin.post(&path, &text).await.status, 200);
    assert_eq!(starts_at(&db).await, "2030-11-03 05:30:00.250");
    assert_eq!(admin.submit(&path, &carried("3", "-05:00")).await.status, 303);
    assert_eq!(starts_at(&db).await, "2030-11-03 06:30:00.000");
    let skipped = [("version", "4"), ("starts_at", "2030-03-10T02:30")];
    let refused = admin.submit(&path, &skipped).await;
    assert_eq!(refused.status, 422);
    assert!(refused.body.contains("never comes") && refused.body.contains("2030-03-10T02:30"));
    office.close().await;
}
