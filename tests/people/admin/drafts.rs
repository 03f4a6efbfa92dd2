//! Drafts: looked at before buyers see them, copied, and deleted while nothing hangs on them.

use sqlx::PgPool;

use super::{field, make_venue, program, with};
use crate::support::{
    Concert, Hold, Office, Purchase, acts, read_all, read_one, read_one_with, run_sql,
    run_sql_with, until,
};

#[sqlx::test]
async fn a_draft_is_seen_as_people_would_see_it_by_admins_alone(db: PgPool) {
    let office = Office::open_with(db.clone(), 1, &[]).await;
    let concert = Concert::usual(&db).await;
    run_sql(&db, "update programs set status = 'DRAFT', queue_capacity = 5").await;
    let admin = office.employ("admin", "ADMIN").await;
    let path = format!("/admin/programs/{}/preview", concert.program_id);
    let page = admin.visit(&path).await;
    assert_eq!(page.status, 200, "{}", page.body);
    assert!(page.has(".program__dates .schedule-list__item"), "{}", page.body);
    assert!(page.body.contains("Preview of a draft"), "{}", page.body);
    assert!(page.has(".program__sale[inert]"), "nothing on it can be done");
    assert!(!page.has("a[href$='/log']") && !page.has("a[href$='/waiting-list']"));
    let door = office.employ("door", "STAFF").await;
    assert_eq!(door.visit(&path).await.status, 403);
    let public = format!("/programs/{}", concert.slug);
    assert_eq!(admin.visit(&public).await.status, 404, "a draft has no page of its own");

    run_sql(&db, "update programs set status = 'PUBLISHED'").await;
    let published = admin.visit(&path).await;
    assert_eq!((published.status, published.location()), (303, public.as_str()));
    let shown = office.stranger().visit(&public).await;
    assert!(!shown.body.contains("Preview of a draft") && !shown.has("[inert]"));
    office.close().await;
}

#[sqlx::test]
async fn a_copy_has_texts_rules_and_prices_and_nothing_that_was_sold(db: PgPool) {
    let office = Office::open_with(db.clone(), 1, &[]).await;
    let concert = Concert::usual(&db).await;
    let admin = office.employ("admin", "ADMIN").await;
    let ada = office.sign_in("ada").await;
    let seats = Hold { seat_ids: &concert.seat_ids[..2], places: 3, ..Hold::default() };
    Purchase::make(&db, &concert, &ada, seats).await;
    run_sql(&db, "update programs set description = 'By two people.', joins_per_address = 7").await;
    run_sql_with(
        &db,
        "insert into price_types (id, series_id, schedule_id, name, percent)
         values (gen_random_uuid(), gen_random_uuid(), $1, 'Child', 50)",
        concert.schedule_id,
    )
    .await;
    run_sql(&db, "insert into reminder_settings select id, null from programs").await;
    let path = format!("/admin/programs/{}/copies", concert.program_id);
    let bare = admin.post(&path, &()).await;
    assert_eq!(bare.status, 201, "{}", bare.body);
    let told = ["title", "description", "status", "slug"].map(|name| field(&bare, name));
    assert_eq!(told, ["A concert", "By two people.", "DRAFT", "a-concert"], "{}", bare.body);
    assert_eq!(field(&bare, "guards")["joins_per_address"], 7);
    let bare_id = field(&bare, "id").as_str().unwrap().to_owned();
    let letters = admin.get(&format!("/admin/programs/{bare_id}/letters")).await.json();
    assert_eq!(letters["hours_before"], serde_json::Value::Null, "no reminders either: {letters}");
    let shown = admin.get(&format!("/admin/programs/{bare_id}")).await.json();
    assert_eq!(shown["schedules"].as_array().unwrap().len(), 0);

    let full = admin.post(&path, &[("with_performances", "on")]).await;
    assert_eq!(field(&full, "slug"), "a-concert-2", "{}", full.body);
    let full_id = field(&full, "id").as_str().unwrap().to_owned();
    let shown = admin.get(&format!("/admin/programs/{full_id}")).await.json();
    let schedule = shown["schedules"][0]["id"].as_str().unwrap().to_owned();
    until("the prices are written", async || {
        let told = admin.get(&format!("/admin/schedules/{schedule}")).await.json();
        told["sections"][0]["free"] == 20 && told["sections"][0]["price_min"] == 50_000
    })
    .await;
    let told = admin.get(&format!("/admin/schedules/{schedule}")).await.json();
    assert_eq!(told["zones"][0]["remaining"], 100, "{told}");
    let types = "select name from price_types where schedule_id <> $1";
    let name: String = read_one_with(&db, types, concert.schedule_id).await;
    assert_eq!(name, "Child");
    assert_eq!(read_one::<i64>(&db, "select count(*) from tickets").await, 5, "of the first");
    assert_eq!(acts(&db).await, ["program-copied", "program-copied"]);
    office.close().await;
}

#[sqlx::test]
async fn what_nothing_hangs_on_is_deleted_and_the_rest_says_what_hangs(db: PgPool) {
    let office = Office::open_with(db.clone(), 1, &[]).await;
    let admin = office.employ("admin", "ADMIN").await;
    let form = with(&program("Hamlet", "hamlet"), &[]);
    let made = admin.post("/admin/programs", &form).await;
    let path = format!("/admin/programs/{}", field(&made, "id").as_str().unwrap());
    let venue = make_venue(&admin, "Stalls, 2, 5").await;
    let moment = [("venue_id", venue.as_str()), ("starts_at", "2030-03-01T20:00")];
    let schedule = admin.post(&format!("{path}/schedules"), &moment).await;
    let schedule = format!("/admin/schedules/{}", field(&schedule, "id").as_str().unwrap());
    let venue = format!("/admin/venues/{venue}");

    let refused = admin.post(&format!("{venue}/deletion"), &[("version", "1")]).await;
    assert_eq!((refused.status, refused.code().as_str()), (409, "in-use"), "{}", refused.body);
    assert_eq!(refused.json()["by"], "performances");
    let zone = [("version", "0"), ("name", "Floor"), ("price", "1"), ("capacity", "2")];
    assert_eq!(admin.post(&format!("{schedule}/zones"), &zone).await.status, 200);
    let page = admin.submit(&format!("{schedule}/deletion"), &[("version", "1")]).await;
    assert_eq!(page.status, 409);
    assert!(page.body.contains("It still has zones"), "{}", page.body);
    run_sql(&db, "delete from zones").await;
    let stale = admin.post(&format!("{schedule}/deletion"), &[("version", "0")]).await;
    assert_eq!((stale.status, stale.code().as_str()), (409, "changed-meanwhile"));

    for (path, version, next) in [(&schedule, "1", path.as_str()), (&venue, "1", "/admin/venues")] {
        let deleted = admin.submit(&format!("{path}/deletion"), &[("version", version)]).await;
        assert_eq!((deleted.status, deleted.location()), (303, next), "{}", deleted.body);
        assert_eq!(admin.visit(path).await.status, 404);
        let again = admin.post(&format!("{path}/deletion"), &[("version", version)]).await;
        assert_eq!(again.status, 404, "{}", again.body);
    }
    assert_eq!(read_one::<i64>(&db, "select count(*) from seats").await, 0);
    let acts: Vec<String> =
        read_all(&db, "select act from audit_log where act like '%-deleted' order by id").await;
    assert_eq!(acts, ["schedule-deleted", "venue-deleted"]);
    office.close().await;
}

#[sqlx::test]
async fn a_performance_that_was_sold_stays(db: PgPool) {
    let office = Office::open_with(db.clone(), 1, &[]).await;
    let concert = Concert::usual(&db).await;
    let admin = office.employ("admin", "ADMIN").await;
    let ada = office.sign_in("ada").await;
    Purchase::make(&db, &concert, &ada, Hold { places: 1, ..Hold::default() }).await;
    let path = format!("/admin/schedules/{}/deletion", concert.schedule_id);
    let refused = admin.post(&path, &[("version", "0")]).await;
    assert_eq!((refused.status, refused.code().as_str()), (409, "in-use"), "{}", refused.body);
    assert!(acts(&db).await.is_empty(), "nothing was done");
    office.close().await;
}
