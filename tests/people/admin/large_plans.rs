//! Seat plans of tens of thousands of seats, saved again, all or nothing, with their progress shown.

use std::iter;

use serde_json::json;
use sqlx::{AssertSqlSafe, PgPool, Postgres, Transaction};
use uuid::Uuid;

use super::{
    field,
    plans::{Plan, seats},
    prices::until_written,
    program,
};
use crate::support::{Answer, LOCK_WAITERS, Office, eventually, read_one, run_sql};

/// The same plan with another column: a category for each seat, in turns.
fn with_category(csv: &str) -> String {
    let added = iter::once(",category\n").chain([",R\n", ",S\n"].into_iter().cycle());
    csv.lines().zip(added).map(|(line, added)| line.to_owned() + added).collect()
}

impl Plan {
    /// Saves a CSV as a browser does; returns the path of the page that tells of the save, or of the venue.
    async fn submit(&mut self, csv: &str) -> String {
        let sent = self.send("", "csv", csv.as_bytes(), "text/html").await;
        assert_eq!(sent.status, 303, "{}", sent.body);
        self.version += 1;
        sent.location().to_owned()
    }

    /// Looks at the page of a save until it ended; returns the last page.
    async fn until_ended(&self, page: &str) -> Answer {
        eventually("the end of a save", async || {
            let told = self.admin.visit(page).await;
            assert_eq!(told.status, 200, "{}", told.body);
            if told.body.contains("data-live-secs") { Err(progress_of(&told)) } else { Ok(told) }
        })
        .await
    }
}

/// What a page says of a save.
fn progress_of(page: &Answer) -> String {
    page.texts("[data-live-part='save'] p").join(" ")
}

async fn count_seats(db: &PgPool, which: &str) -> i64 {
    sqlx::query_scalar(AssertSqlSafe(format!("select count(*) from seats where {which}")))
        .fetch_one(db)
        .await
        .unwrap()
}

#[sqlx::test]
async fn a_large_plan_is_saved_again_as_it_is_and_changed(db: PgPool) {
    let office = Office::open_with(db.clone(), 1, &[]).await;
    let mut plan = Plan::new(&office).await;
    let csv = seats(20_000);
    for csv in [&csv, &csv, &with_category(&csv)] {
        let saved = plan.save(csv).await;
        assert_eq!(saved.status, 200, "{}", saved.body);
        assert_eq!(saved.json()["seats"], 20_000);
    }
    assert_eq!(count_seats(&db, "price_category = 'R'").await, 10_000);
    office.close().await;
}

#[sqlx::test]
async fn a_hundred_thousand_seats_are_saved_changed_and_priced(db: PgPool) {
    const SEATS: i64 = 100_000;
    let office = Office::open_with(db.clone(), 1, &[]).await;
    let mut plan = Plan::new(&office).await;
    let csv = seats(100_000);
    let preview = plan.send("/preview", "csv", csv.as_bytes(), "text/html").await;
    assert_eq!(preview.status, 200, "{}", preview.body);
    for csv in [&csv, &csv, &with_category(&csv)] {
        let page = plan.submit(csv).await;
        if page.contains("/saves/") {
            let told = plan.until_ended(&page).await;
            assert!(progress_of(&told).starts_with("Saved."), "{}", told.body);
        }
        assert_eq!(count_seats(&db, "true").await, SEATS);
    }
    assert_eq!(count_seats(&db, "price_category = 'R'").await, SEATS / 2);

    let made = plan.admin.post("/admin/programs", &program("Hamlet", "hamlet")).await;
    let schedules = format!("/admin/programs/{}/schedules", field(&made, "id").as_str().unwrap());
    let venue = plan.path.split('/').nth(3).unwrap();
    let schedule = [("venue_id", venue), ("starts_at", "2030-03-01T20:00")];
    let schedule = plan.admin.post(&schedules, &schedule).await;
    assert_eq!(schedule.status, 201, "{}", schedule.body);
    let prices = format!("/admin/schedules/{}", field(&schedule, "id").as_str().unwrap());
    let form = json!({
        "version": 0, "category": ["R", "S"], "category_price": [90_000, 70_000],
    });
    let priced = plan.admin.post_json(&format!("{prices}/prices"), &form).await;
    assert_eq!(priced.status, 200, "{}", priced.body);
    until_written(&db).await;
    let at = "select count(*) from schedule_seats";
    assert_eq!(read_one::<i64>(&db, at).await, SEATS);
    assert_eq!(plan.admin.visit(&prices).await.status, 200);
    office.close().await;
}

/// A plan of 10,000 seats that is being changed, and stopped in its second batch by a lock on a seat.
struct Stopped {
    office: Office,
    plan: Plan,
    page: String,
    lock: Transaction<'static, Postgres>,
}

impl Stopped {
    async fn new(db: &PgPool) -> Self {
        let office = Office::open_with(db.clone(), 1, &[]).await;
        let mut plan = Plan::new(&office).await;
        let csv = seats(10_000);
        assert_eq!(plan.save(&csv).await.status, 200);
        let mut lock = db.begin().await.unwrap();
        run_sql(&mut *lock, "select from seats order by id desc limit 1 for update").await;
        let page = plan.submit(&with_category(&csv)).await;
        assert!(page.contains("/saves/"), "{page}");
        eventually("half of the save", async || {
            let told = plan.admin.visit(&page).await;
            let progress = progress_of(&told);
            let is_half = progress.contains("5,000 of 10,000 seats so far.");
            let is_live = told.body.contains("http-equiv=\"refresh\"");
            if is_half && is_live { Ok(()) } else { Err(progress) }
        })
        .await;
        assert_eq!(count_seats(db, "price_category is not null").await, 0, "none before all");
        Self { office, plan, page, lock }
    }
}

#[sqlx::test]
async fn a_save_that_takes_long_is_told_of_until_it_ends(db: PgPool) {
    let Stopped { office, plan, page, lock } = Stopped::new(&db).await;
    lock.commit().await.unwrap();
    let told = plan.until_ended(&page).await;
    assert_eq!(progress_of(&told), "Saved. Seats of the venue now: 10,000. To the venue");
    assert_eq!(count_seats(&db, "price_category is not null").await, 10_000);
    let state = plan.admin.get(&page).await;
    assert_eq!((state.status, state.json()), (200, json!({ "state": "saved" })));
    let other = page.rsplit_once('/').unwrap().0;
    let other = plan.admin.get(&format!("{other}/{}", Uuid::nil())).await;
    assert_eq!((other.status, other.json()), (200, json!({ "state": "unknown" })));
    office.close().await;
}

#[sqlx::test]
async fn a_save_that_is_cut_off_changes_nothing_and_says_so(db: PgPool) {
    let Stopped { office, mut plan, page, lock } = Stopped::new(&db).await;
    let cut = format!("select pg_terminate_backend(pid) from ({LOCK_WAITERS}) waiting");
    run_sql(&db, AssertSqlSafe(cut)).await;
    let told = plan.until_ended(&page).await;
    assert!(!told.texts("[role='alert']").concat().is_empty(), "{}", told.body);
    assert_eq!(plan.admin.get(&page).await.json()["state"], "refused");
    assert_eq!(count_seats(&db, "price_category is not null").await, 0);
    lock.commit().await.unwrap();
    plan.version -= 1;
    let again = plan.save(&with_category(&seats(10_000))).await;
    assert_eq!(again.status, 200, "{}", again.body);
    office.close().await;
}
