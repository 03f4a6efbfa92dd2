//! Where lines break: between words and phrases, never within an amount or a name.

use serde_json::json;
use sqlx::PgPool;

use super::enter;
use crate::support::{
    Concert, Hold, Office, Purchase,
    browser::{Browser, BrowserOptions, NARROW},
};

/// Lists what a line break tears apart on the page: amounts, and words in katakana, which Japanese has for
/// *points*, where the browser knows phrases. Firefox does not.
const TORN: &str = r"
    const torn = [];
    const isTorn = (range) =>
        new Set([...range.getClientRects()].filter((r) => r.width > 0).map((r) => r.top)).size > 1;
    const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    while (CSS.supports('word-break', 'auto-phrase') && texts.nextNode()) {
        const text = texts.currentNode;
        for (const word of text.data.matchAll(/[\d,]*[\u30a1-\u30ff]{2,}/g)) {
            const range = new Range();
            range.setStart(text, word.index);
            range.setEnd(text, word.index + word[0].length);
            if (text.parentElement.checkVisibility() && isTorn(range)) torn.push(word[0]);
        }
    }
    for (const amount of document.querySelectorAll('.amount')) {
        const range = new Range();
        range.selectNodeContents(amount);
        if (isTorn(range)) torn.push(amount.textContent);
    }
    return torn;";

#[sqlx::test]
async fn japanese_words_and_amounts_are_not_torn_on_the_narrowest_screen(db: PgPool) {
    let office = Office::open_with(db.clone(), 1, &[]).await;
    let concert = Concert::usual(&db).await;
    let ada = office.sign_in("Ada").await;
    assert_eq!(ada.post("/wallet/charges", &[("amount", 500_000)]).await.status, 201);
    let options = BrowserOptions { screen: NARROW, language: "ja", ..BrowserOptions::default() };
    let browser = Browser::open_as(&ada, options).await;
    let program = format!("/programs/{}", concert.slug);
    let waiting_list = format!("/schedules/{}/waiting-list", concert.schedule_id);
    for path in ["/", &program, &waiting_list, "/wallet", "/account"] {
        browser.visit(path).await;
        assert_eq!(browser.run("return arguments[0].lang", "html").await, "ja", "{path}");
        assert_eq!(browser.run(TORN, "html").await, json!([]), "{path}");
        assert_eq!(browser.overflow().await, 0, "{path} is wider than the window");
    }
    enter(&browser, &concert).await;
    assert_eq!(browser.run(TORN, "html").await, json!([]), "the map");
    browser.close().await;
    office.close().await;
}

#[sqlx::test]
async fn the_sheet_of_attendees_breaks_no_name_on_narrow_paper(db: PgPool) {
    let office = Office::open_with(db.clone(), 1, &[]).await;
    let concert = Concert::tonight(&db).await;
    let admin = office.employ("admin", "ADMIN").await;
    for name in ["西園寺虎太郎", "남궁보름달", "Ada Kim"] {
        let person = office.sign_in(name).await;
        Purchase::make(&db, &concert, &person, Hold { places: 1, ..Hold::default() }).await;
    }
    let browser =
        Browser::open_as(&admin, BrowserOptions { screen: NARROW, ..Default::default() }).await;
    browser.visit(&format!("/admin/schedules/{}/attendees/sheet", concert.schedule_id)).await;
    // Paper of this width has the same rules as a screen of it.
    let torn = "return [...document.querySelectorAll('.sheet__who, .sheet__end')]
        .map((cell) => cell.firstChild)
        .filter((text) => {
            const range = new Range();
            range.selectNodeContents(text);
            return new Set([...range.getClientRects()].map((r) => r.top)).size > 1;
        })
        .map((text) => text.data)";
    assert_eq!(browser.run(torn, "html").await, json!([]));
    let wider = "return arguments[0].scrollWidth - arguments[0].clientWidth";
    assert_eq!(browser.run(wider, ".admin__scroll").await, 0, "nothing is cut off");
    browser.close().await;
    office.close().await;
}
