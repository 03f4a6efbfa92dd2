//! Fonts: a page fetches the ones of its own letters, and no others.

use serde_json::json;
use sqlx::PgPool;

use crate::support::{
    Concert, Office,
    browser::{Browser, BrowserOptions},
};

/// Lists the fonts of Hangul and kana that the page has fetched, once it has all of its fonts.
const FETCHED: &str = r"
    const names = () =>
        performance.getEntriesByType('resource').map((file) => file.name.split('/').pop());
    return document.fonts.ready.then(() => names().filter((name) => /^(hangul|kana)-/.test(name)).sort());";

#[sqlx::test]
async fn a_page_fetches_the_letters_that_stand_on_it(db: PgPool) {
    let office = Office::open_with(db.clone(), 1, &[]).await;
    Concert::usual(&db).await;
    let ada = office.sign_in("Ada").await;
    let texts = json!(["hangul-texts-bold.woff2", "hangul-texts-regular.woff2"]);
    let kana = json!(["kana-bold.woff2", "kana-regular.woff2"]);
    for (language, expected) in [("en", json!([])), ("ko", texts), ("ja", kana)] {
        let options = BrowserOptions { language, ..BrowserOptions::default() };
        let browser = Browser::open(&office.base(0), options).await;
        // No letters of a page: a browser may fetch a font once for all pages.
        browser.visit("/robots.txt").await;
        browser.sign_in(&ada).await;
        browser.visit("/account").await;
        assert_eq!(browser.run("return arguments[0].lang", "html").await, language);
        assert_eq!(browser.run(FETCHED, "html").await, expected, "{language}");
        browser.close().await;
    }
    office.close().await;
}
