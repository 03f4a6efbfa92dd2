//! Clocks that change: a venue gets another time zone while performances are to come, and a first venue has
//! another one than the office.

use sqlx::PgPool;

use super::{field, program};
use crate::support::{Concert, Hold, Office, Person, Purchase, acts, read_all, read_one, run_sql};

/// The hour that the venue's clock shows when the performance begins, and the moment.
async fn shown_and_meant(db: &PgPool) -> (String, String) {
    sqlx::query_as(
        "select (starts_at at time zone time_zone)::text, (starts_at at time zone 'UTC')::text
         from schedules join venues on venues.id = venue_id",
    )
    .fetch_one(db)
    .await
    .unwrap()
}

/// A concert in Seoul for which Ada has a ticket, and the office that sells it.
struct Sold {
    office: Office,
    admin: Person,
    ada: Person,
    path: String,
}

impl Sold {
    async fn open(db: &PgPool) -> Self {
        let office = Office::open_with(db.clone(), 1, &[]).await;
        let concert = Concert::usual(db).await;
        let admin = office.employ("admin", "ADMIN").await;
        let ada = office.sign_in("ada").await;
        let hold = Hold { seat_ids: &concert.seat_ids[..2], places: 0, ..Hold::default() };
        Purchase::make(db, &concert, &ada, hold).await;
        let venue: uuid::Uuid = read_one(db, "select id from venues").await;
        Self { office, admin, ada, path: format!("/admin/venues/{venue}") }
    }

    fn form(zone: &str, kept: &str) -> [(&'static str, String); 5] {
        [("version", "0"), ("name", "A hall"), ("address", ""), ("time_zone", zone), ("kept", kept)]
            .map(|(name, value)| (name, value.to_owned()))
    }
}

#[sqlx::test]
async fn another_time_zone_is_asked_about_before_it_moves_a_performance(db: PgPool) {
    let sold = Sold::open(&db).await;
    let before = shown_and_meant(&db).await;
    let refused = sold.admin.post(&sold.path, &Sold::form("Europe/London", "")).await;
    assert_eq!((refused.status, refused.code().as_str()), (409, "zone-moves-performances"));
    let named = refused.json()["performances"].clone();
    assert_eq!((&named[0]["title"], &named[0]["tickets"]), (&"A concert".into(), &2.into()));
    let page = sold.admin.submit(&sold.path, &Sold::form("Europe/London", "")).await;
    assert_eq!(page.status, 409);
    assert_eq!(page.count("input[name='kept'][type='radio']"), 2, "{}", page.body);
    assert!(page.body.contains("with 2 valid tickets"), "{}", page.body);
    let nonsense = sold.admin.post(&sold.path, &Sold::form("Europe/London", "both")).await;
    assert_eq!((nonsense.status, nonsense.code().as_str()), (422, "invalid"));
    assert_eq!(shown_and_meant(&db).await, before);
    assert_eq!(acts(&db).await, Vec::<String>::new());
    sold.office.close().await;
}

/// Gives the venue another zone, and checks what stays and which mails are written.
async fn keep(db: &PgPool, kept: &str, acted: &[&str]) {
    let sold = Sold::open(db).await;
    let before = shown_and_meant(db).await;
    let saved = sold.admin.submit(&sold.path, &Sold::form("Europe/London", kept)).await;
    assert_eq!(saved.status, 303, "{}", saved.body);
    let after = shown_and_meant(db).await;
    let stays = (after.0 == before.0, after.1 == before.1);
    assert_eq!(stays, (kept == "hour", kept == "moment"), "{before:?} {after:?}");
    let mut acts = acts(db).await;
    acts.sort();
    assert_eq!(acts, acted);
    let told = "select recipient from outbox where kind = 'performance-moved'";
    let told: Vec<String> = read_all(db, told).await;
    assert_eq!(told.len(), 1, "one mail for two tickets: {told:?}");
    assert!(told[0].starts_with("ada"), "{told:?}");
    let mail = "select id from outbox where kind = 'performance-moved'";
    let mail: uuid::Uuid = read_one(db, mail).await;
    let letter = sold.admin.visit(&format!("/admin/mails/{mail}")).await;
    for part in ["KST", "GMT", "Before", "please check the time"] {
        assert!(letter.body.contains(part), "{part}: {}", letter.body);
    }
    assert_eq!(sold.ada.visit("/tickets").await.status, 200);
    sold.office.close().await;
}

#[sqlx::test]
async fn the_hour_stays_and_who_has_a_ticket_is_told(db: PgPool) {
    keep(&db, "hour", &["schedule-edited", "venue-edited"]).await;
}

#[sqlx::test]
async fn the_moment_stays_and_who_has_a_ticket_is_told(db: PgPool) {
    keep(&db, "moment", &["venue-edited"]).await;
}

#[sqlx::test]
async fn nothing_is_asked_where_no_clock_shows_another_hour(db: PgPool) {
    let sold = Sold::open(&db).await;
    let saved = sold.admin.post(&sold.path, &Sold::form("Asia/Tokyo", "")).await;
    assert_eq!(saved.status, 200, "{}", saved.body);
    run_sql(&db, "update schedules set starts_at = now() - interval '1 hour'").await;
    let form = Sold::form("Europe/London", "").map(|(name, value)| match name {
        "version" => (name, "1".to_owned()),
        _ => (name, value),
    });
    let saved = sold.admin.post(&sold.path, &form).await;
    assert_eq!(saved.status, 200, "a performance that is over stays: {}", saved.body);
    let mails: i64 =
        read_one(&db, "select count(*) from outbox where kind = 'performance-moved'").await;
    assert_eq!(mails, 0);
    sold.office.close_as_it_is().await;
}

#[sqlx::test]
async fn an_opening_keeps_the_hour_that_was_typed_when_the_first_venue_has_another_clock(
    db: PgPool,
) {
    let office = Office::open_with(db.clone(), 1, &[]).await;
    let admin = office.employ("admin", "ADMIN").await;
    let blank = admin.visit("/admin/programs/new").await;
    assert!(
        blank.body.contains("office's clock") || blank.body.contains("office&#39;s clock"),
        "{}",
        blank.body
    );
    let made = admin.post("/admin/programs", &program("Hamlet", "hamlet")).await;
    let path = format!("/admin/programs/{}", field(&made, "id").as_str().unwrap());
    let venue = [("name", "The Globe"), ("address", ""), ("time_zone", "Europe/London")];
    let venue = field(&admin.post("/admin/venues", &venue).await, "id");
    let date = |kept: &str| {
        [("venue_id", venue.as_str().unwrap()), ("starts_at", "2030-03-01T20:00"), ("kept", kept)]
            .map(|(name, value)| (name, value.to_owned()))
    };
    let asked = admin.submit(&format!("{path}/schedules"), &date("")).await;
    assert_eq!(asked.status, 409, "{}", asked.body);
    assert_eq!(asked.count("input[name='kept'][type='radio']"), 2, "{}", asked.body);
    assert!(asked.body.contains("19:00 KST") && asked.body.contains("19:00 GMT"), "{}", asked.body);
    let saved = admin.submit(&format!("{path}/schedules"), &date("hour")).await;
    assert_eq!(saved.status, 303, "{}", saved.body);
    let opens: String =
        read_one(&db, "select (on_sale_at at time zone 'UTC')::text from programs").await;
    assert_eq!(opens, "2030-01-02 19:00:00");
    let page = admin.visit(&path).await;
    assert_eq!(page.attribute("[name='time_zone']", "value"), "Europe/London");
    assert_eq!(page.attribute("[name='on_sale_at']", "value"), "2030-01-02T19:00");
    let mut acts = acts(&db).await;
    acts.sort();
    assert_eq!(acts, ["program-created", "program-edited", "schedule-created", "venue-created"]);
    // The second date of a show changes nothing of its sale.
    let mut second = date("");
    second[1].1 = "2030-03-02T20:00".to_owned();
    assert_eq!(admin.submit(&format!("{path}/schedules"), &second).await.status, 303);
    office.close().await;
}
