//! A date that is added to a published show is nowhere until it has prices.

use sqlx::PgPool;
use uuid::Uuid;

use crate::support::{Concert, Office, Person, eventually, read_one, run_sql};

/// Adds a date to the show, a day after its first; returns its id.
async fn add_date(db: &PgPool, admin: &Person, concert: &Concert) -> String {
    let venue: Uuid = read_one(db, "select venue_id from schedules").await;
    let starts_at: String =
        read_one(db, "select to_char((starts_at + interval '1 day') at time zone 'UTC',                       'YYYY-MM-DD\"T\"HH24:MI:SS\"Z\"') from schedules").await;
    let path = format!("/admin/programs/{}/schedules", concert.program_id);
    let form = [("venue_id", venue.to_string()), ("starts_at", starts_at)];
    let added = admin.post(&path, &form).await;
    assert_eq!(added.status, 201, "{}", added.body);
    added.json()["id"].as_str().unwrap().to_owned()
}

#[sqlx::test]
async fn a_date_without_prices_is_nowhere_until_it_has_some(db: PgPool) {
    let office = Office::open_with(db.clone(), 1, &[]).await;
    let concert = Concert::usual(&db).await;
    let admin = office.employ("admin", "ADMIN").await;
    let ada = office.sign_in("ada").await;
    let date = add_date(&db, &admin, &concert).await;
    let show = format!("/programs/{}", concert.slug);

    let told = ada.get(&show).await.json();
    assert_eq!(told["schedules"].as_array().unwrap().len(), 1, "{told}");
    let page = ada.visit(&show).await;
    assert_eq!(page.count("[itemtype='https://schema.org/Event']"), 1, "{}", page.body);
    assert!(!page.body.contains("Sold out") && !page.body.contains(&date), "{}", page.body);
    let map = format!("/schedules/{date}");
    let list = format!("{map}/waiting-list");
    for path in [&map, &list] {
        assert_eq!(ada.get(path).await.status, 404, "{path}");
    }
    let wish = ada.post(&list, &[("places", "1")]).await;
    assert_eq!(wish.status, 404, "{}", wish.body);
    assert!(admin.visit(&format!("/admin{map}")).await.status == 200, "the office has it");

    let prices = [("version", "0"), ("section", "Stalls"), ("price", "40000")];
    let priced = admin.post(&format!("/admin{map}/prices"), &prices).await;
    assert_eq!(priced.status, 200, "{}", priced.body);
    eventually("a date with prices", async || {
        let told = ada.get(&show).await.json();
        let is_there = told["schedules"].as_array().unwrap().len() == 2;
        if is_there { Ok(()) } else { Err(told.to_string()) }
    })
    .await;
    office.close().await;
}

#[sqlx::test]
async fn a_show_of_which_no_date_has_prices_any_more_is_not_listed_and_not_sold_out(db: PgPool) {
    let office = Office::open_with(db.clone(), 1, &[]).await;
    let concert = Concert::usual(&db).await;
    let admin = office.employ("admin", "ADMIN").await;
    add_date(&db, &admin, &concert).await;
    run_sql(&db, "update schedules set starts_at = starts_at - interval '7 days 12 hours'").await;
    let reader = office.stranger();
    let home = reader.get("/").await.json();
    assert_eq!(home["on_sale"].as_array().unwrap().len(), 0, "{home}");
    assert!(!reader.visit("/sitemap.xml").await.body.contains(&concert.slug));
    let page = reader.visit(&format!("/programs/{}", concert.slug)).await;
    assert!(!page.body.contains("Sold out"), "{}", page.body);
    office.close().await;
}
