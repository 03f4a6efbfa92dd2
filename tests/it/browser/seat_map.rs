//! The drawing of the seats, from afar and from close by.

use sqlx::PgPool;

use super::{enter, inside};
use crate::support::{
    Concert, ConcertOptions, Office,
    browser::{Browser, BrowserOptions, PHONE},
    until,
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
    browser.run("arguments[0].open = true", "[data-seat-list]").await;
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
