//! The door: a steward types the code of a ticket.

use sqlx::PgPool;

use super::{choose_seat, enter, pay};
use crate::support::{
    Concert, Office,
    browser::{Browser, BrowserOptions, PHONE},
    read_one,
};

#[sqlx::test]
async fn a_ticket_admits_once(db: PgPool) {
    let office = Office::open_with(db.clone(), 1, &[]).await;
    let concert = Concert::tonight(&db).await;
    let ada = office.sign_in("Ada").await;
    let browser = Browser::open_as(&ada, BrowserOptions::default()).await;
    enter(&browser, &concert).await;
    choose_seat(&browser, concert.seat_ids[0]).await;
    browser.press("[data-hold]").await;
    pay(&browser).await;
    let code: String = read_one(&db, "select code from tickets").await;

    let steward = office.employ("Steward", "STAFF").await;
    let options = BrowserOptions { screen: PHONE, ..BrowserOptions::default() };
    let door = Browser::open_as(&steward, options).await;
    door.visit(&format!("/door/{}", concert.schedule_id)).await;
    door.fill("input[name='code']", &code).await;
    door.press("[data-door-scan] button").await;
    door.find(".verdict--in").await;
    assert_eq!(door.overflow().await, 0, "the door is wider than the window");
    door.fill("input[name='code']", &code).await;
    door.press("[data-door-scan] button").await;
    door.find(".verdict--out").await;
    door.close().await;
    browser.close().await;
    office.close().await;
}
