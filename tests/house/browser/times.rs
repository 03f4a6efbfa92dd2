//! Times: the venue's, and beside them the reader's own.

use sqlx::PgPool;

use crate::support::{
    Concert, Office,
    browser::{Browser, BrowserOptions},
};

#[sqlx::test]
async fn whoever_is_elsewhere_is_told_the_own_time_too(db: PgPool) {
    let office = Office::open_with(db.clone(), 1, &[]).await;
    let concert = Concert::usual(&db).await;
    let ada = office.sign_in("Ada").await;
    for (time_zone, is_elsewhere) in [("Asia/Seoul", false), ("America/New_York", true)] {
        let options = BrowserOptions { time_zone, ..BrowserOptions::default() };
        let browser = Browser::open_as(&ada, options).await;
        browser.visit(&format!("/programs/{}", concert.slug)).await;
        let when = browser.text(".schedule-list__when").await;
        assert!(when.contains("KST"), "{when}");
        if is_elsewhere {
            browser.find(".schedule-list__when .own-time").await;
            assert!(browser.text(".own-time").await.contains("where you are"));
        } else {
            assert!(!browser.shows(".own-time").await, "{when}");
        }
        browser.close().await;
    }
    office.close().await;
}
