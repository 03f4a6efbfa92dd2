//! The clock of the office: of what happens at no venue, and of the days of its bookings.

use sqlx::PgPool;

use super::popularity::buy;
use crate::support::{ChildInstance, Concert, Office, read_one, run_sql, until};

#[sqlx::test]
async fn what_happens_at_no_venue_is_told_on_the_clock_that_is_set(db: PgPool) {
    let office = Office::open_with(db.clone(), 1, &[]).await;
    let admin = office.employ("admin", "ADMIN").await;
    let charged = admin.post("/wallet/charges", &[("amount", 1_000)]).await;
    assert_eq!(charged.status, 201, "{}", charged.body);
    let usual = admin.visit("/wallet").await;
    assert!(usual.body.contains(" KST"), "{}", usual.body);

    let mut child = ChildInstance::start_with(&office, &[("TIME_ZONE", "Asia/Kathmandu")]).await;
    let admin = child.moved(&admin);
    for path in ["/wallet", "/account/sessions"] {
        let page = admin.visit(path).await;
        assert!(page.body.contains("UTC+05:45"), "{path}: {}", page.body);
        assert!(!page.body.contains(" KST"), "{path}: {}", page.body);
    }
    let venue = admin.visit("/admin/venues/new").await;
    assert_eq!(venue.texts("[name='time_zone'] option")[0], "Asia/Kathmandu");
    assert!(admin.visit("/admin/office").await.body.contains("Asia/Kathmandu"));
    child.kill();
    office.close().await;
}

/// Whatever the zone of the office became meanwhile.
#[sqlx::test]
async fn days_of_bookings_keep_the_clock_of_the_first(db: PgPool) {
    let office = Office::open_with(db.clone(), 1, &[]).await;
    let concert = Concert::usual(&db).await;
    let counted = "select coalesce(sum(bookings), 0)::bigint from daily_sales";
    let clock = "select time_zone from daily_sales_progress";
    buy(&office, &concert, 0, 1).await;
    until("a booking", async || read_one::<i64>(&db, counted).await == 1).await;
    assert_eq!(read_one::<String>(&db, clock).await, "Asia/Seoul");

    // As where the first booking was counted by another clock, on whose side of the date line it is
    // another day than in Seoul.
    run_sql(
        &db,
        "update daily_sales_progress set time_zone =
            case when extract(hour from now() at time zone 'UTC') between 11 and 14
                then 'Pacific/Kiritimati' else 'Pacific/Pago_Pago' end",
    )
    .await;
    let zone: String = read_one(&db, clock).await;
    let there = "select count(*) from daily_sales d, daily_sales_progress p
        where (schedule_id, day) = (
            select schedule_id, (confirmed_at at time zone p.time_zone)::date
            from reservations order by confirmed_at desc limit 1)";
    let other = Concert::usual(&db).await;
    buy(&office, &other, 0, 1).await;
    until("another booking", async || read_one::<i64>(&db, counted).await == 2).await;
    assert_eq!(read_one::<String>(&db, clock).await, zone);
    assert_eq!(read_one::<i64>(&db, there).await, 1);
    office.close_as_it_is().await;
}
