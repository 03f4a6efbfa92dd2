//! The whole sale: an account, the line, a seat, points, a ticket.

use sqlx::PgPool;

use super::{choose_seat, enter, inside, pay};
use crate::support::{
    Concert, ConcertOptions, Office,
    browser::{Browser, BrowserOptions, DESK, PHONE},
};

/// Presses what is shown in the middle of an element, which may lie under it.
const PRESS_WHAT_IS_THERE: &str = "
    const { x, y, width, height } = arguments[0].getBoundingClientRect();
    const shown = document.elementFromPoint(x + width / 2, y + height / 2);
    shown.dispatchEvent(new MouseEvent('click', { bubbles: true, cancelable: true }));";

/// From the home page to the ticket, as a person without an account.
async fn buys_a_seat(db: PgPool, options: BrowserOptions) {
    let office = Office::open_with(db.clone(), 1, &[]).await;
    let concert = Concert::usual(&db).await;
    let browser = Browser::open(&office.base(0), options).await;

    browser.visit("/").await;
    browser.press(&format!("a[href='/programs/{}']", concert.slug)).await;
    // The button leads over the log-in and the sign-up to the seats: what was wanted is not forgotten.
    browser.press(".program__sale a[href$='/queue/new']").await;
    browser.until_at("/login?next=").await;
    browser.press("main a[href^='/signup?next=']").await;
    browser.until_at("/signup?next=").await;
    browser.fill("#email", "ada@example.com").await;
    browser.fill("#name", "Ada").await;
    browser.fill("#password", "a long way to the sea").await;
    browser.press("main form button").await;
    if !options.runs_scripts {
        browser.press("[data-join-at-once] button").await;
    }
    browser.until_at("/schedules/").await;
    assert_eq!(browser.overflow().await, 0, "the map is wider than the window");

    let seat_id = concert.seat_ids[3];
    if options.runs_scripts {
        choose_seat(&browser, seat_id).await;
        assert!(browser.text("[data-total]").await.contains("50,000"));
    } else {
        // The drawing leads to the row in the list.
        browser.run(PRESS_WHAT_IS_THERE, ".seat").await;
        browser.find(".seat-list[open] .seat-list__row:target").await;
        browser.press(&format!("label:has([name='seat_ids'][value='{seat_id}'])")).await;
    }
    browser.press("[data-hold]").await;
    browser.until_at("/reservations/").await;
    assert!(browser.path().await.ends_with("/payment"), "straight to where one pays");
    assert_eq!(browser.overflow().await, 0, "the payment is wider than the window");
    pay(&browser).await;
    assert_eq!(browser.overflow().await, 0, "the page of the tickets is wider than the window");
    browser.press("a[href^='/tickets/']").await;
    let width = browser.run("return arguments[0].naturalWidth", ".ticket__qr").await;
    assert!(width.as_u64().is_some_and(|width| width > 0), "the code is drawn: {width}");
    assert_eq!(browser.overflow().await, 0, "the ticket is wider than the window");
    browser.close().await;
    office.close().await;
}

#[sqlx::test]
async fn a_person_buys_a_seat_at_a_desk(db: PgPool) {
    buys_a_seat(db, BrowserOptions { screen: DESK, ..BrowserOptions::default() }).await;
}

#[sqlx::test]
async fn a_person_buys_a_seat_on_a_phone(db: PgPool) {
    buys_a_seat(db, BrowserOptions { screen: PHONE, ..BrowserOptions::default() }).await;
}

#[sqlx::test]
async fn a_person_buys_a_seat_in_korean(db: PgPool) {
    buys_a_seat(db, BrowserOptions { screen: PHONE, language: "ko", ..BrowserOptions::default() })
        .await;
}

#[sqlx::test]
async fn a_person_buys_a_seat_without_scripts(db: PgPool) {
    buys_a_seat(db, BrowserOptions { runs_scripts: false, ..BrowserOptions::default() }).await;
}

/// Never a click: the tab key, the space bar and the enter key.
#[sqlx::test]
async fn a_person_buys_a_seat_by_keyboard(db: PgPool) {
    const ENTER: &str = "\u{e007}";
    let office = Office::open_with(db.clone(), 1, &[]).await;
    let concert = Concert::usual(&db).await;
    let ada = office.sign_in("Ada").await;
    let browser = Browser::open_as(&ada, BrowserOptions::default()).await;
    browser.visit(&format!("/programs/{}", concert.slug)).await;
    browser.tab_to(".program__sale button").await;
    browser.type_keys(ENTER).await;
    browser.until_at("/schedules/").await;
    browser.tab_to("[data-seat]").await;
    browser.type_keys(" ").await;
    browser.find("[data-seat][aria-checked='true']").await;
    browser.tab_to("[data-hold]").await;
    browser.type_keys(ENTER).await;
    browser.until_at("/reservations/").await;
    browser.tab_to(".choices button").await;
    browser.type_keys(ENTER).await;
    browser.find("form[action$='/payment']").await;
    browser.tab_to("form[action$='/payment'] button").await;
    browser.type_keys(ENTER).await;
    browser.find(".strip").await;
    browser.close().await;
    office.close().await;
}

/// The loser of a seat sees it go, and buys another with the same page.
#[sqlx::test]
async fn a_seat_that_somebody_else_takes_goes_from_the_open_map(db: PgPool) {
    let office = Office::open_with(db.clone(), 2, &[]).await;
    let (concert, _, first) = inside(&db, &office, ConcertOptions::default()).await;
    let ben = office.crowd(2, "Ben").await.remove(1);
    let second = Browser::open_as(&ben, BrowserOptions::default()).await;
    enter(&second, &concert).await;

    let [wanted, other] = [concert.seat_ids[0], concert.seat_ids[7]];
    choose_seat(&second, wanted).await;
    choose_seat(&first, wanted).await;
    first.press("[data-hold]").await;
    first.until_at("/reservations/").await;
    // The other one's map says so by itself, and the choice is gone with the seat.
    second.find(&format!("[data-seat='{wanted}'][aria-disabled='true']")).await;
    assert_eq!(
        second
            .run("return arguments[0].checked", &format!("[name='seat_ids'][value='{wanted}']"))
            .await,
        false
    );
    choose_seat(&second, other).await;
    second.press("[data-hold]").await;
    pay(&second).await;
    pay(&first).await;
    first.close().await;
    second.close().await;
    office.close().await;
}
