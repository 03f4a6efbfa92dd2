//! Charts of the admin pages: axes, and each value readable without seeing the drawing.

use sqlx::PgPool;

use crate::support::{Concert, Office, run_sql, run_sql_with};

#[sqlx::test]
async fn the_sales_of_each_day_are_drawn_with_axes_and_told_in_a_table(db: PgPool) {
    let office = Office::open_with(db.clone(), 1, &[]).await;
    let concert = Concert::usual(&db).await;
    let admin = office.employ("admin", "ADMIN").await;
    run_sql_with(
        &db,
        "insert into daily_sales (day, schedule_id, program_id, bookings, revenue, changed_in)
         select (now() at time zone 'Asia/Seoul')::date - ago, $1, program_id, bookings, revenue, 1
         from schedules cross join (values (2, 37, 1850000), (3, -4, -200000), (40, 9, 9)) as sold (ago, bookings, revenue)
         where id = $1",
        concert.schedule_id,
    )
    .await;
    let path = format!("/admin/programs/{}/sales", concert.program_id);
    let told = admin.get(&path).await.json();
    let days = told["days"].as_array().unwrap();
    assert_eq!(days.len(), 2, "none that is older than the charts: {told}");
    assert_eq!((&days[0]["bookings"], &days[1]["revenue"]), (&(-4).into(), &1_850_000.into()));

    let page = admin.visit(&path).await;
    assert_eq!(page.count("svg.chart__drawing[role='img'][aria-label]"), 2);
    let numbers = page.texts(".chart:first-child .chart__number");
    assert_eq!(numbers, ["-20", "0", "20", "40"], "round, and below zero for refunds");
    assert_eq!(page.count(".chart:first-child .chart__slot title"), 30);
    assert_eq!(page.count(".chart:first-child .chart__time"), 5);
    let titles = page.texts(".chart__slot title");
    for value in ["Bookings: 37", "Bookings: -4", "Revenue: 1,850,000", "Bookings: 0"] {
        assert!(titles.iter().any(|title| title.ends_with(value)), "{value}: {titles:?}");
    }
    assert_eq!(page.count("details tbody tr"), 30);
    assert_eq!(page.texts("details tbody tr:nth-child(28) td"), ["37", "1,850,000"]);
    assert_eq!(page.texts("details tbody tr:nth-child(27) td"), ["-4", "-200,000"]);
    office.close_as_it_is().await;
}

#[sqlx::test]
async fn the_last_hour_of_a_line_is_on_the_clock_of_its_venue(db: PgPool) {
    let office = Office::open_with(db.clone(), 1, &[]).await;
    let concert = Concert::usual(&db).await;
    let admin = office.employ("admin", "ADMIN").await;
    run_sql(&db, "update venues set time_zone = 'Asia/Kathmandu'").await;
    run_sql_with(
        &db,
        "insert into queue_minutes (program_id, minute, joined, waiting)
         select $1, date_trunc('minute', now()) - make_interval(mins => ago), joined, waiting
         from (values (10, 5, 4), (9, 12, 2345)) as kept (ago, joined, waiting)",
        concert.program_id,
    )
    .await;
    let page = admin.visit(&format!("/admin/programs/{}/queue", concert.program_id)).await;
    assert_eq!(page.count("svg.chart__drawing[role='img'][aria-label]"), 3);
    let numbers = page.texts(".chart:first-child .chart__number");
    assert_eq!(numbers, ["0", "1,000", "2,000", "3,000"]);
    let titles = page.texts(".chart:first-child .chart__slot title");
    assert_eq!(titles.len(), 60);
    assert!(titles.iter().all(|title| title.contains(" UTC+05:45, waiting: ")), "{titles:?}");
    assert!(titles.iter().any(|title| title.ends_with("waiting: 2,345")), "{titles:?}");
    assert!(titles.iter().any(|title| title.ends_with("waiting: not counted")), "{titles:?}");
    let quarters = page.texts(".chart:first-child .chart__time");
    let is_round = |time: &String| ["00", "15", "30", "45"].iter().any(|end| time.ends_with(end));
    assert!((4..=5).contains(&quarters.len()) && quarters.iter().all(is_round), "{quarters:?}");
    assert_eq!(page.count("#minutes tbody tr"), 60);
    let cells = page.texts("#minutes tbody td");
    assert!(cells.chunks(4).any(|row| row == ["2,345", "–", "0", "0"]), "{cells:?}");
    assert!(page.texts("#minutes tbody th").iter().all(|time| time.ends_with(" UTC+05:45")));
    office.close().await;
}
