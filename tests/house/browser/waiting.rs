//! The waiting room: the turn comes by itself, in whichever tab or device.

use sqlx::PgPool;

use super::enter;
use crate::support::{
    Concert, ConcertOptions, Office,
    browser::{Browser, BrowserOptions, PHONE},
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
