//! What sold out fastest.

use sqlx::PgPool;

use super::popularity::{buy, figures};
use crate::support::{Concert, ConcertOptions, Hold, Office, Purchase, until};

#[sqlx::test]
async fn the_fastest_sell_outs_are_told_in_seconds_from_the_opening(db: PgPool) {
    let office = Office::open_with(db.clone(), 1, &[]).await;
    let admin = office.employ("root", "ADMIN").await;
    let small = ConcertOptions { seats: 2, zone_capacity: 1, ..ConcertOptions::default() };
    let slow = ConcertOptions { opens_in_secs: -5_000, ..small.clone() };
    let fast = ConcertOptions { opens_in_secs: -300, ..small };
    let (slow, fast) = (Concert::with(&db, slow).await, Concert::with(&db, fast).await);
    let told = async || admin.get("/admin/popularity/sell-outs").await.json()["sell_outs"].clone();
    for concert in [&slow, &fast] {
        buy(&office, concert, 0, 1).await;
    }
    until("the first are counted", async || {
        figures(&admin.get("/admin/popularity").await.json()).len() == 2
    })
    .await;
    assert_eq!(told().await, serde_json::json!([]), "a seat and a place are left");
    for concert in [&slow, &fast] {
        buy(&office, concert, 1, 2).await;
        let bob = office.sign_in("bob").await;
        let standing = Hold { places: 1, ..Hold::default() };
        Purchase::make(&db, concert, &bob, standing).await;
    }
    until("both have sold out", async || told().await.as_array().unwrap().len() == 2).await;
    let sold_out = told().await;
    assert_eq!(
        (&sold_out[0]["slug"], &sold_out[1]["slug"]),
        (&fast.slug.clone().into(), &slow.slug.clone().into())
    );
    for (idx, secs) in [(0, 300), (1, 5_000)] {
        let took = sold_out[idx]["took_secs"].as_i64().unwrap();
        assert!((secs..secs + 600).contains(&took), "{sold_out}");
    }
    let page = admin.visit("/admin/popularity/sell-outs").await;
    assert!(page.body.contains(" min ") && page.body.contains(">1 h "), "{}", page.body);
    office.close_as_it_is().await;
}
