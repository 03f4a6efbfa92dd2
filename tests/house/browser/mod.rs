//! What people do, in a real browser: the sale from the first page to the ticket.
//!
//! `make test-browser` runs these in Chromium, `make test-firefox` in Firefox. Each ends with the
//! browser's own log: no script failed, and no page broke its policy.

mod door;
mod endings;
mod fonts;
mod lines;
mod newcomer;
mod payment;
mod sale;
mod seat_map;
mod times;
mod waiting;

use sqlx::PgPool;

use crate::support::{
    Concert, ConcertOptions, Office, Person,
    browser::{Browser, BrowserOptions},
};

/// Chooses the seat in the drawing, as a pointer or a finger does.
async fn choose_seat(browser: &Browser, seat_id: i64) {
    // Firefox presses what is painted; a group is not.
    let (mark, face) =
        (format!("[data-seat='{seat_id}'] use"), format!("[name='seat_ids'][value='{seat_id}']"));
    // On a small screen the first tap comes closer, and the second one chooses.
    for _ in 0..3 {
        if browser.run("return arguments[0].checked", &face).await == true {
            return;
        }
        browser.press(&mark).await;
    }
    assert_eq!(browser.run("return arguments[0].checked", &face).await, true, "seat {seat_id}");
}

/// Buys what is held on the page of a reservation: adds the points that are missing, and
/// pays, which leads to the tickets.
async fn pay(browser: &Browser) {
    browser.until_at("/reservations/").await;
    if browser.shows(".choices button").await {
        browser.press(".choices button").await;
    }
    browser.press("form[action$='/payment'] button").await;
    browser.find(".strip").await;
}

/// Signs a person in, and lets them choose seats of a concert without a line.
async fn inside(
    db: &PgPool,
    office: &Office,
    options: ConcertOptions,
) -> (Concert, Person, Browser) {
    let concert = Concert::with(db, options).await;
    let ada = office.sign_in("Ada").await;
    let browser = Browser::open_as(&ada, BrowserOptions::default()).await;
    enter(&browser, &concert).await;
    (concert, ada, browser)
}

/// Joins an empty line, and is at the map.
async fn enter(browser: &Browser, concert: &Concert) {
    browser.visit(&format!("/programs/{}", concert.slug)).await;
    browser.press("form[action$='/queue'] button").await;
    browser.until_at("/schedules/").await;
}
