//! The drawing of the seats, from afar and from close by.

use sqlx::PgPool;

use super::{choose_seat, enter, inside};
use crate::support::{
    Concert, ConcertOptions, Office,
    browser::{Browser, BrowserOptions, PHONE},
    run_sql, run_sql_with, until,
};

#[sqlx::test]
async fn seats_have_numbers_when_they_are_close_and_a_small_picture_shows_where(db: PgPool) {
    let office = Office::open_with(db.clone(), 1, &[]).await;
    let (_, _, browser) = inside(&db, &office, ConcertOptions::default()).await;
    assert_eq!(browser.text(".seat-map__row-name").await, "A");
    assert!(!browser.shows(".seat__number").await && !browser.shows(".seat-map__whole").await);
    for _ in 0..4 {
        browser.press("[data-zoom='in']").await;
    }
    browser.find(".seat-map__whole").await;
    // The first one may be beside what is seen.
    let display = browser.run("return getComputedStyle(arguments[0]).display", ".seat__number");
    assert_ne!(display.await, "none");
    browser.press("[data-zoom='reset']").await;
    let display = browser.run("return getComputedStyle(arguments[0]).display", ".seat__number");
    assert_eq!(display.await, "none");
    assert!(!browser.shows(".seat-map__whole").await);
    browser.close().await;
    office.close().await;
}

#[sqlx::test]
async fn on_a_phone_the_drawing_comes_before_the_tools_which_open_one_at_a_time(db: PgPool) {
    let office = Office::open_with(db.clone(), 1, &[]).await;
    let concert = ConcertOptions { seats: 200, ..ConcertOptions::default() };
    let concert = Concert::with(&db, concert).await;
    let ada = office.sign_in("Ada").await;
    let options = BrowserOptions { screen: PHONE, ..BrowserOptions::default() };
    let browser = Browser::open_as(&ada, options).await;
    enter(&browser, &concert).await;
    let top =
        browser.run("return arguments[0].getBoundingClientRect().top", ".seat-map__frame").await;
    assert!(top.as_f64().is_some_and(|top| top <= 300.0), "{top}");
    browser.press(".tool__summary").await;
    browser.find(".best__button").await;
    browser.press(".tool--legend .tool__summary").await;
    browser.find(".legend__item").await;
    assert!(!browser.shows(".best__button").await);
    // What is picked is held; the time left stays in sight however far the page is scrolled.
    browser.run("arguments[0].open = true", ".seat-list").await;
    browser.run("arguments[0].scrollIntoView()", ".footer").await;
    // Pages scroll smoothly.
    until("the foot of the page", async || {
        let far = browser.run("return scrollY", "html").await;
        far.as_f64().is_some_and(|far| far > 844.0)
    })
    .await;
    let clock = browser.run("return arguments[0].getBoundingClientRect().top", ".countdown").await;
    assert!(clock.as_f64().is_some_and(|top| top >= 0.0), "{clock}");
    browser.press(".tool__summary").await;
    browser.press(".best__button").await;
    browser.until_at("/reservations/").await;
    browser.close().await;
    office.close().await;
}

#[sqlx::test]
async fn the_seat_that_has_the_focus_says_and_draws_how_it_sees_the_stage(db: PgPool) {
    let office = Office::open_with(db.clone(), 1, &[]).await;
    let options = ConcertOptions { seats: 60, ..ConcertOptions::default() };
    let (concert, _, browser) = inside(&db, &office, options).await;
    assert_eq!(
        browser.run("return arguments[0].getAttribute('cy')", "[data-view-seat]").await,
        "60"
    );
    let sees = async |seat: usize| {
        let mark = format!("[data-seat='{}']", concert.seat_ids[seat]);
        browser.run("arguments[0].focus()", &mark).await;
        browser.text("[data-seat-view]").await.replace('\n', " ")
    };
    // As the list says of the ends of the rows, which have their own words without scripts.
    let first = "Row A seat 1 About 4 rows from the stage · 66° left";
    assert_eq!(sees(0).await, first);
    let last = "Row F seat 10 About 7 rows from the stage · 33° right";
    assert_eq!(sees(59).await, last);
    // An arrow goes to the neighbour, and what describes a seat is read with it.
    browser.type_keys("\u{e012}").await;
    let words = browser.text("[data-seat-view]").await;
    assert!(words.contains("Row F seat 9"), "{words}");
    let described = "return document.activeElement.getAttribute('aria-describedby')";
    assert_eq!(browser.run(described, "html").await, "seat-view");
    // A tap does the same as the focus.
    choose_seat(&browser, concert.seat_ids[0]).await;
    assert_eq!(browser.text("[data-seat-view]").await.replace('\n', " "), first);
    browser.close().await;
    office.close().await;
}

#[sqlx::test]
async fn the_sections_of_a_large_house_tell_what_is_left_while_it_is_sold(db: PgPool) {
    let office = Office::open_with(db.clone(), 1, &[]).await;
    let options = ConcertOptions { seats: 1_600, ..ConcertOptions::default() };
    let concert = Concert::with(&db, options).await;
    run_sql(&db, "update seats set section = 'Box' where row_label = 'B'").await;
    run_sql(
        &db,
        "update schedule_seats s set price = 70000 from seats v
             where v.id = s.seat_id and v.section = 'Box'",
    )
    .await;
    let ada = office.sign_in("Ada").await;
    let browser = Browser::open_as(&ada, BrowserOptions::default()).await;
    enter(&browser, &concert).await;
    let block = ".block[data-section='Box']";
    browser.find(&format!("{block}.seat--price-1")).await;
    assert_eq!(browser.text(&format!("{block} [data-free]")).await, "10 left");
    browser.find(".block.seat--price-2[data-section='Stalls']").await;
    let take = "update schedule_seats s set status = 'BLOCKED', changed_xid = pg_current_xact_id()
         from seats v where v.id = s.seat_id and v.section = 'Box' and v.number <= $1";
    run_sql_with(&db, take, 3).await;
    let left = async || browser.text(&format!("{block} [data-free]")).await;
    until("seven left", async || left().await == "7 left").await;
    run_sql_with(&db, take, 10).await;
    browser.find(".block.block--sold-out[data-section='Box']").await;
    browser.find(".overview__link.block--sold-out[data-section-link='Box']").await;
    assert_eq!(browser.text("[data-section-link='Box'] [data-free]").await, "Sold out");
    browser.close().await;
    office.close().await;
}
