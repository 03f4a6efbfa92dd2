//! The waiting room: the turn comes by itself, in whichever tab or device.

use sqlx::PgPool;

use super::enter;
use crate::support::{
    Concert, ConcertOptions, Office,
    browser::{Browser, BrowserOptions, PHONE},
    until,
};

/// A line in which one person chooses at a time.
fn one_inside() -> ConcertOptions {
    ConcertOptions { queue_capacity: Some(1), ..ConcertOptions::default() }
}

#[sqlx::test]
async fn whoever_waits_is_taken_to_the_seats_when_the_turn_comes(db: PgPool) {
    let office = Office::open_with(db.clone(), 1, &[]).await;
    let concert = Concert::with(&db, one_inside()).await;
    let people = office.crowd(2, "Person").await;
    let first = Browser::open_as(&people[0], BrowserOptions::default()).await;
    enter(&first, &concert).await;
    let queue = format!("/programs/{}/queue", concert.slug);
    let options = BrowserOptions { screen: PHONE, ..BrowserOptions::default() };
    let second = Browser::open_as(&people[1], options).await;
    second.visit(&format!("/programs/{}", concert.slug)).await;
    second.press("form[action$='/queue'] button").await;
    second.until_at(&queue).await;

    // The program's page tells the number, and leads back; a reload and another device keep the place.
    second.visit(&format!("/programs/{}", concert.slug)).await;
    assert!(second.text(".program__place").await.contains('2'));
    second.press(&format!(".program__sale a[href='{queue}']")).await;
    second.until_at(&queue).await;
    second.reload().await;
    let device = Browser::open_as(&people[1], BrowserOptions::default()).await;
    device.visit(&queue).await;
    device.find(".waiting__place").await;

    first.visit(&queue).await;
    first.press(".leave__summary").await;
    first.press("form[action$='/departure'] button").await;
    second.until_at("/schedules/").await;
    device.until_at("/schedules/").await;
    for browser in [first, second, device] {
        browser.close().await;
    }
    office.close().await;
}

#[sqlx::test]
async fn an_open_page_says_what_the_office_says_without_a_reload(db: PgPool) {
    let office = Office::open_with(db.clone(), 1, &[]).await;
    let concert = Concert::with(&db, one_inside()).await;
    let admin = office.employ("admin", "ADMIN").await;
    let people = office.crowd(2, "Person").await;
    let inside = Browser::open_as(&people[0], BrowserOptions::default()).await;
    enter(&inside, &concert).await;
    let options = BrowserOptions { screen: PHONE, ..BrowserOptions::default() };
    let waiting = Browser::open_as(&people[1], options).await;
    waiting.visit(&format!("/programs/{}", concert.slug)).await;
    waiting.press("form[action$='/queue'] button").await;
    waiting.until_at(&format!("/programs/{}/queue", concert.slug)).await;
    waiting.find(".waiting__place").await;

    let path = format!("/admin/programs/{}/queue", concert.program_id);
    let said = serde_json::json!({
        "version": 0, "words_en": "A pipe broke, we go on soon.", "until": "2099-12-31T20:30",
    });
    let paused = admin.post_json(&format!("{path}/pause"), &said).await;
    assert_eq!(paused.status, 200, "{}", paused.body);
    for browser in [&inside, &waiting] {
        assert_eq!(browser.text(".announcement__words").await, "A pipe broke, we go on soon.");
        assert!(browser.text(".announcements .small").await.contains("31 Dec, 20:30"));
    }
    let resumed = admin.post(&format!("{path}/resumption"), &[("version", "1")]).await;
    assert_eq!(resumed.status, 200, "{}", resumed.body);
    for browser in [&inside, &waiting] {
        until("an end", async || !browser.shows(".announcement__words").await).await;
    }
    inside.close().await;
    waiting.close().await;
    office.close().await;
}

#[sqlx::test]
async fn two_sales_in_two_tabs_do_not_disturb_each_other(db: PgPool) {
    let office = Office::open_with(db.clone(), 1, &[]).await;
    let (one, two) =
        (Concert::with(&db, one_inside()).await, Concert::with(&db, one_inside()).await);
    let ada = office.sign_in("Ada").await;
    let browser = Browser::open_as(&ada, BrowserOptions::default()).await;
    enter(&browser, &one).await;
    browser.open_tab().await;
    enter(&browser, &two).await;
    super::choose_seat(&browser, two.seat_ids[0]).await;
    browser.press("[data-hold]").await;
    super::pay(&browser).await;
    browser.first_tab().await;
    super::choose_seat(&browser, one.seat_ids[0]).await;
    browser.press("[data-hold]").await;
    super::pay(&browser).await;
    browser.close().await;
    office.close().await;
}
