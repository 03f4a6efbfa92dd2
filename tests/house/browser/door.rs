//! The door: a steward scans tickets.

use sqlx::PgPool;

use super::{choose_seat, enter, pay};
use crate::support::{
    Concert, Office,
    browser::{Browser, BrowserOptions, PHONE, camera::Camera},
    read_one, until,
};

/// Buys a ticket for tonight, and returns its code.
async fn bought(db: &PgPool, office: &Office, concert: &Concert) -> String {
    let ada = office.sign_in("Ada").await;
    let browser = Browser::open_as(&ada, BrowserOptions::default()).await;
    enter(&browser, concert).await;
    choose_seat(&browser, concert.seat_ids[0]).await;
    browser.press("[data-hold]").await;
    pay(&browser).await;
    browser.close().await;
    read_one(db, "select code from tickets").await
}

fn phone() -> BrowserOptions {
    BrowserOptions { screen: PHONE, ..BrowserOptions::default() }
}

#[sqlx::test]
async fn a_ticket_admits_once(db: PgPool) {
    let office = Office::open_with(db.clone(), 1, &[]).await;
    let concert = Concert::tonight(&db).await;
    let code = bought(&db, &office, &concert).await;

    let steward = office.employ("Steward", "STAFF").await;
    let door = Browser::open_as(&steward, phone()).await;
    door.visit(&format!("/door/{}", concert.schedule_id)).await;
    door.fill("input[name='code']", &code).await;
    door.press("[data-door-scan] button").await;
    door.find(".verdict--in").await;
    assert_eq!(door.overflow().await, 0, "the door is wider than the window");
    door.fill("input[name='code']", &code).await;
    door.press("[data-door-scan] button").await;
    door.find(".verdict--out").await;
    door.close().await;
    office.close().await;
}

/// No browser on Linux reads QR codes itself, as none on an iPhone does: the page brings what does.
#[sqlx::test]
async fn a_camera_reads_the_code_of_a_ticket(db: PgPool) {
    let office = Office::open_with(db.clone(), 1, &[]).await;
    let concert = Concert::tonight(&db).await;
    let code = bought(&db, &office, &concert).await;

    let steward = office.employ("Steward", "STAFF").await;
    let camera = Camera::showing(&code);
    let door = Browser::open_with_camera(&steward, phone(), &camera).await;
    door.visit(&format!("/door/{}", concert.schedule_id)).await;
    door.press("[data-door-camera]").await;
    door.find(".verdict--in").await;
    let fetched = "return performance.getEntriesByType('resource').some(
        (file) => file.name.endsWith('zxing_reader.wasm'))";
    assert_eq!(door.run(fetched, "html").await, true, "the browser read it itself");
    assert!(door.shows("[data-door-video]").await);
    door.press("[data-door-camera]").await;
    until("the camera to be closed", async || !door.shows("[data-door-video]").await).await;
    door.close().await;
    office.close().await;
}

#[sqlx::test]
async fn where_no_camera_can_be_used_codes_are_typed(db: PgPool) {
    let office = Office::open_with(db.clone(), 1, &[]).await;
    let concert = Concert::tonight(&db).await;
    let code = bought(&db, &office, &concert).await;

    let steward = office.employ("Steward", "STAFF").await;
    let door = Browser::open_as(&steward, phone()).await;
    door.visit(&format!("/door/{}", concert.schedule_id)).await;
    door.press("[data-door-camera]").await;
    door.find("[data-door-no-camera]").await;
    assert!(!door.shows("[data-door-video]").await);
    door.fill("input[name='code']", &code).await;
    door.press("[data-door-scan] button").await;
    door.find(".verdict--in").await;
    door.close().await;
    office.close().await;
}
