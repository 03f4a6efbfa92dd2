//! The way of a newcomer, counted: from the home page to paid tickets, with a card.

use sqlx::PgPool;

use super::choose_seat;
use crate::support::{
    Concert, Office, StripeStandIn,
    browser::{Browser, BrowserOptions, PHONE},
    expect_money, free_port,
};

/// Number of presses on pages of the office: the show, its sale, an account and its form, two seats with one more that
/// comes closer to them, their hold and its payment.
const PRESSES_MAX: usize = 9;
/// Address, name and password.
const FIELDS_MAX: usize = 3;

async fn see(browser: &Browser) {
    let words = browser.words().await;
    expect_money(&browser.path().await, &words);
    assert!(!words.contains("missing"), "a newcomer lacks nothing: {words}");
}

#[sqlx::test]
async fn a_newcomer_pays_two_seats_by_card_with_no_press_too_many_and_reads_no_points(db: PgPool) {
    let stripe = StripeStandIn::start().await;
    let address = format!("127.0.0.1:{}", free_port());
    let site = format!("http://{address}");
    let mut settings = stripe.settings();
    settings.retain(|(name, _)| *name != "PUBLIC_URL");
    settings.extend([("LISTEN_ADDR", address), ("PUBLIC_URL", site.clone())]);
    let settings: Vec<(&str, &str)> =
        settings.iter().map(|(name, value)| (*name, value.as_str())).collect();
    let office = Office::open_with(db.clone(), 1, &settings).await;
    let concert = Concert::usual(&db).await;
    let options = BrowserOptions { screen: PHONE, ..BrowserOptions::default() };
    let browser = Browser::open(&site, options).await;

    browser.visit("/").await;
    see(&browser).await;
    browser.press(&format!("a[href='/programs/{}']", concert.slug)).await;
    browser.find(".program__sale").await;
    see(&browser).await;
    browser.press(".program__sale a[href$='/queue/new']").await;
    browser.press("main a[href^='/signup?next=']").await;
    browser.until_at("/signup?next=").await;
    browser.fill("#email", "ada@example.com").await;
    browser.fill("#name", "Ada").await;
    browser.fill("#password", "a long way to the sea").await;
    browser.press("main form button").await;
    browser.until_at("/schedules/").await;
    see(&browser).await;
    for seat_id in &concert.seat_ids[3..5] {
        choose_seat(&browser, *seat_id).await;
    }
    see(&browser).await;
    browser.press("[data-hold]").await;
    browser.until_at("/reservations/").await;
    see(&browser).await;
    assert!(browser.text("form:has([name='reservation_id']) button").await.contains("100,000"));
    browser.press("form:has([name='reservation_id']) button").await;
    // The provider's page, which the policy of the office lets a form lead to.
    browser.until_at("/pay/").await;
    let (n_presses, n_fields) = browser.efforts();
    browser.press("form button").await;
    browser.find(".strip").await;
    see(&browser).await;
    assert!(n_presses <= PRESSES_MAX, "{n_presses} presses");
    assert_eq!(n_fields, FIELDS_MAX);
    browser.close().await;
    office.close().await;
}
