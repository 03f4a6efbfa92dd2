//! Paying on a phone, and the tickets that one swipes through afterwards.

use sqlx::PgPool;

use super::{choose_seat, enter};
use crate::support::{
    Concert, Office,
    browser::{Browser, BrowserOptions, PHONE},
    until,
};

const BUTTON: &str = "form[action$='/payment'] button";

#[sqlx::test]
async fn on_a_phone_the_button_is_in_reach_and_tickets_are_swiped(db: PgPool) {
    let office = Office::open_with(db.clone(), 1, &[]).await;
    let concert = Concert::usual(&db).await;
    let ada = office.sign_in("Ada").await;
    assert_eq!(ada.post("/wallet/charges", &[("amount", 500_000)]).await.status, 201);
    let options = BrowserOptions { screen: PHONE, ..BrowserOptions::default() };
    let browser = Browser::open_as(&ada, options).await;
    enter(&browser, &concert).await;
    for seat_id in &concert.seat_ids[..3] {
        choose_seat(&browser, *seat_id).await;
    }
    browser.press("[data-hold]").await;
    browser.find(BUTTON).await;
    // Without a finger on the page: what it costs and how to pay it are both in sight.
    let inside = "const at = arguments[0].getBoundingClientRect();
        return at.top >= 0 && at.bottom <= innerHeight";
    assert_eq!(browser.run(inside, BUTTON).await, true, "the button is out of sight");
    assert_eq!(browser.run(inside, ".countdown").await, true, "the time is out of sight");
    assert_eq!(browser.text(BUTTON).await, "Pay 150,000 points");
    browser.press(BUTTON).await;

    browser.find(".joy").await;
    assert_eq!(browser.overflow().await, 0, "the tickets are wider than the window");
    browser.press(".bought__numbers a:nth-child(3)").await;
    until("the third ticket", async || {
        let shown = "const at = arguments[0].getBoundingClientRect();
            return at.left >= 0 && at.right <= innerWidth";
        browser.run(shown, ".pass:nth-child(3)").await == true
    })
    .await;
    browser.reload().await;
    browser.find(".pass").await;
    assert!(!browser.shows(".joy").await, "joy is for the first look");
    browser.close().await;
    office.close().await;
}
