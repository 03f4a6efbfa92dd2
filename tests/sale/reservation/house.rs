//! What the map says of the house: sections by their prices, and how rows see the stage.

use sqlx::PgPool;

use super::admit;
use crate::support::{Concert, ConcertOptions, Office, run_sql};

#[sqlx::test]
async fn sections_have_the_class_of_their_price_and_what_is_left_and_sold_out_ones_are_plain(
    db: PgPool,
) {
    let office = Office::open_with(db, 1, &[]).await;
    let options = ConcertOptions { seats: 2_000, ..ConcertOptions::default() };
    let concert = Concert::with(&office.db, options).await;
    for sql in [
        "update seats set x = 0, y = 0",
        "update seats set section = 'Circle' where id % 4 = 1",
        "update seats set section = 'Balcony' where id % 4 = 2",
        "update seats set section = 'Box' where id % 4 = 3",
        "update schedule_seats s set price = 70000 from seats v
             where v.id = s.seat_id and v.section in ('Circle', 'Box')",
        "update schedule_seats s set status = 'BLOCKED' from seats v
             where v.id = s.seat_id and v.section = 'Box'",
    ] {
        run_sql(&office.db, sql).await;
    }
    let ada = office.sign_in("ada").await;
    admit(&office.db, &concert, std::slice::from_ref(&ada)).await;
    let path = format!("/schedules/{}", concert.schedule_id);
    let overview = ada.visit(&path).await;
    for (section, class, words) in [
        ("Circle", "seat--price-1", "500 left"),
        ("Stalls", "seat--price-2", "500 left"),
        ("Balcony", "seat--price-2", "500 left"),
        ("Box", "block--sold-out", "Sold out"),
    ] {
        let block = format!(".block.{class}[data-section='{section}']");
        let link = format!(".overview__link.{class}[data-section-link='{section}']");
        assert!(overview.has(&block) && overview.has(&link), "{section}: {}", overview.body);
        assert_eq!(overview.texts(&format!("{link} [data-free]")), [words]);
    }
    // The seats of a section have the class that their price has in the house.
    let section = ada.visit(&format!("{path}?section=Stalls")).await;
    assert_eq!(section.count("g.seat.seat--price-2"), 500);
    assert_eq!(section.count("[data-legend-class='2']"), 1);
    // All sections begin at the same place: the plan does not say where they stand.
    assert!(!section.has(".seat-list__view") && !section.has("[data-seat-view]"));
    office.close().await;
}

#[sqlx::test]
async fn each_row_of_the_list_says_how_it_sees_the_stage_and_its_drawing_leads_there(db: PgPool) {
    let office = Office::open_with(db, 1, &[]).await;
    let options = ConcertOptions { seats: 60, ..ConcertOptions::default() };
    let concert = Concert::with(&office.db, options).await;
    let ada = office.sign_in("ada").await;
    admit(&office.db, &concert, std::slice::from_ref(&ada)).await;
    let page = ada.visit(&format!("/schedules/{}", concert.schedule_id)).await;
    assert_eq!(page.count(".seat-list__view"), 6);
    // The stage is two seat widths before the middle of ten seats.
    let words = |row: u8| page.texts(&format!("#row-1-{row} .seat-list__view"));
    assert_eq!(words(1), ["About 2 rows from the stage · 66° left – 66° right"]);
    assert_eq!(words(6), ["About 6 rows from the stage · 33° left – 33° right"]);
    assert_eq!(page.count("a[href='#row-1-6'] path"), 1);
    office.close().await;
}
