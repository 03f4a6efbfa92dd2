//! What is shown before anybody joins a line.

use sqlx::PgPool;

use crate::support::{Concert, ConcertOptions, Office};

#[sqlx::test]
async fn the_home_page_lists_what_is_on_sale_and_what_is_coming(db: PgPool) {
    let office = Office::open(db).await;
    let open = Concert::usual(&office.db).await;
    let coming = ConcertOptions { opens_in_secs: 3_600, ..ConcertOptions::default() };
    let coming = Concert::with(&office.db, coming).await;
    let over = ConcertOptions { closes_in_secs: -60, ..ConcertOptions::default() };
    Concert::with(&office.db, over).await;

    let home = office.stranger().get("/").await.json();
    assert_eq!(home["on_sale"].as_array().unwrap().len(), 1);
    assert_eq!(home["on_sale"][0]["slug"], open.slug);
    assert_eq!(home["on_sale"][0]["price_from"], 30_000);
    assert_eq!(home["coming"][0]["slug"], coming.slug);
    assert!(home["coming"][0]["opens_at"].is_string());
    assert!(office.stranger().visit("/").await.body.contains(&open.slug));
    office.close().await;
}

#[sqlx::test]
async fn a_program_says_what_is_free_and_from_which_price(db: PgPool) {
    let office = Office::open(db).await;
    let concert = Concert::usual(&office.db).await;
    for name in [concert.slug.clone(), concert.program_id.to_string()] {
        let program = office.stranger().get(&format!("/programs/{name}")).await.json();
        assert_eq!(program["sale"]["state"], "on-sale");
        assert_eq!(program["schedules"][0]["id"], concert.schedule_id.to_string());
        assert_eq!(program["schedules"][0]["free"], 120);
        assert_eq!(program["schedules"][0]["price_from"], 30_000);
    }
    office.close().await;
}

#[sqlx::test]
async fn a_draft_is_nowhere(db: PgPool) {
    let office = Office::open(db).await;
    let concert = Concert::usual(&office.db).await;
    sqlx::query("update programs set status = 'DRAFT'").execute(&office.db).await.unwrap();
    let answer = office.stranger().get(&format!("/programs/{}", concert.slug)).await;
    assert_eq!((answer.status, answer.code().as_str()), (404, "not-found"));
    assert!(office.stranger().get("/").await.json()["on_sale"].as_array().unwrap().is_empty());
    office.close().await;
}
