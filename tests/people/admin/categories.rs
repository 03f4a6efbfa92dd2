//! Price categories in a venue's plan, and on the page of a performance.

use serde_json::json;
use sqlx::PgPool;

use super::{
    category_prices::{HOUSE, csv, house, save_prices, seats_path},
    field, make_venue,
};
use crate::support::{Concert, Office, read_all, read_one};

const HEADER: &str = "section,row,number,x,y,category\n";

/// Rows of the table of prices.
const ROWS: &str = "form[action$='/prices'] tbody tr";

#[sqlx::test]
async fn a_plan_with_categories_is_read_shown_and_saved_as_it_was(db: PgPool) {
    let office = Office::open_with(db.clone(), 1, &[]).await;
    let admin = office.employ("admin", "ADMIN").await;
    let venue = make_venue(&admin, "Stalls, 1, 2").await;
    let path = format!("/admin/venues/{venue}/seats");
    let lines = "Stalls,A,1,0,1,S\nStalls,A,2,1,1,S\nStalls,A,3,2,1,\nBox,A,1,9,0,R\n";
    let form = [("version", "1".to_owned()), ("csv", format!("{HEADER}{lines}"))];
    let preview = admin.submit(&format!("{path}/preview"), &form).await;
    assert_eq!(preview.status, 200, "{}", preview.body);
    assert_eq!(preview.texts("tbody tr"), ["Box1", "Stalls3", "R1", "S2"]);
    let told = admin.post(&format!("{path}/preview"), &form).await;
    assert_eq!(field(&told, "categories"), json!([["R", 1], ["S", 2]]), "the frontmost first");
    assert_eq!(admin.submit(&path, &form).await.status, 303);
    let saved = admin.get(&format!("{path}.csv")).await;
    assert_eq!(saved.body.replace('"', ""), format!("\u{feff}{HEADER}{lines}"));
    let again = [("version", "2".to_owned()), ("csv", saved.body.clone())];
    assert_eq!(admin.submit(&path, &again).await.status, 303);
    assert_eq!(admin.get(&format!("{path}.csv")).await.body, saved.body);

    let grid = [("version", "3"), ("grid", "Stalls, 2, 2, R | Box, 1, 1\nCircle, 1, 3, S")];
    assert_eq!(admin.post(&path, &grid).await.status, 200);
    let categories = "select section || ' ' || coalesce(price_category, '-') from seats
        group by section, price_category order by 1";
    assert_eq!(read_all::<String>(&db, categories).await, ["Box -", "Circle S", "Stalls R"]);
    let plain = [("version", "4"), ("grid", "Stalls, 2, 2")];
    assert_eq!(admin.post(&path, &plain).await.status, 200);
    assert_eq!(read_all::<String>(&db, categories).await, ["Stalls -"]);
    let plain = admin.get(&format!("{path}.csv")).await;
    assert_eq!(plain.records()[0], ["section", "row", "number", "x", "y"]);
    office.close().await;
}

#[sqlx::test]
async fn a_category_that_cannot_be_is_named_with_its_line(db: PgPool) {
    let office = Office::open_with(db.clone(), 1, &[]).await;
    let admin = office.employ("admin", "ADMIN").await;
    let venue = make_venue(&admin, "Stalls, 1, 2").await;
    let path = format!("/admin/venues/{venue}/seats");
    let long = "R".repeat(41);
    let csv = format!("category,section,row,number\nR,Stalls,A,1\n{long},Stalls,A,2\n");
    let grid = format!("Stalls, 1, 2, R\n\nCircle, 1, 2, {long}");
    for (name, text) in [("csv", csv), ("grid", grid)] {
        let form = [("version", "1"), (name, text.as_str())];
        let refused = admin.post(&path, &form).await;
        assert_eq!((refused.status, refused.code().as_str()), (422, "invalid-plan"), "{name}");
        let told = (field(&refused, "line"), field(&refused, "problem"), field(&refused, "text"));
        assert_eq!(told, (3.into(), "category".into(), long.as_str().into()), "{name}");
        let page = admin.submit(&path, &form).await;
        assert!(page.body.contains("the price category has no usable name"), "{}", page.body);
    }
    let kept = "select count(*) from seats where price_category is null";
    assert_eq!(read_one::<i64>(&db, kept).await, 2);
    office.close().await;
}

#[sqlx::test]
async fn the_page_of_a_performance_has_a_price_for_each_category_and_for_what_has_none(db: PgPool) {
    let office = Office::open_with(db.clone(), 1, &[]).await;
    let concert = Concert::usual(&db).await;
    let admin = office.employ("admin", "ADMIN").await;
    let schedule = format!("/admin/schedules/{}", concert.schedule_id);
    let before = admin.visit(&schedule).await;
    assert_eq!(before.texts(&format!("{ROWS} td:first-child")), ["Stalls"]);
    assert_eq!(before.texts("form[action$='/prices'] th:first-child"), ["Section"]);
    assert_eq!(admin.get(&schedule).await.json()["categories"], json!([]));

    house(&db, &admin).await;
    let block = [("version", "0"), ("section", "Stalls"), ("row", "B"), ("act", "block")];
    assert_eq!(admin.post(&format!("{schedule}/blocks"), &block).await.status, 200);
    let page = admin.visit(&schedule).await;
    assert_eq!(page.texts("form[action$='/prices'] th:first-child"), ["Category or section"]);
    assert_eq!(page.texts(&format!("{ROWS} td:first-child")), ["R", "S", "Balcony"]);
    let counts = [["0", "0", "10", "0"], ["0", "0", "0", "10"], ["0"; 4]].concat();
    assert_eq!(page.texts(&format!("{ROWS} .table__number")), counts, "sold, held, free, blocked");
    assert_eq!(page.attribute("[name='category_price']", "value"), "50000");
    assert_eq!(page.attribute("[name='price'][aria-label$='Balcony']", "value"), "");
    assert_eq!(page.texts("#section option"), ["Stalls", "Balcony"], "blocked by section");

    let some = json!({ "category": "S", "category_price": 70_000 });
    assert_eq!(save_prices(&admin, &concert, &some).await.status, 200);
    let told = admin.get(&schedule).await.json();
    assert_eq!(told["categories"][0]["category"], "R", "the frontmost first");
    let s = &told["categories"][1];
    assert_eq!((&s["seats"], &s["free"], &s["blocked"]), (&16.into(), &6.into(), &10.into()));
    assert_eq!((&s["price_min"], &s["price_max"]), (&70_000.into(), &70_000.into()));
    let sections = (&told["sections"][0]["seats"], &told["sections"][1]["seats"]);
    assert_eq!(sections, (&20.into(), &10.into()), "a section has all of its seats");

    // Seats that move between categories keep their price, and the page shows both.
    let rows = [HOUSE[0], ("Stalls", "B", 10, "R"), HOUSE[2], HOUSE[3]];
    let moved = [("version", "1".to_owned()), ("csv", csv(&rows))];
    let moved = admin.post(&seats_path(&db).await, &moved).await;
    assert_eq!(moved.status, 200, "{}", moved.body);
    let page = admin.visit(&schedule).await;
    assert_eq!(page.attribute("[name='category_price']", "value"), "");
    assert_eq!(page.attribute("[name='category_price']", "placeholder"), "50,000\u{2013}70,000");
    office.close().await;
}
