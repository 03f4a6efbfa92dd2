//! Ends: a hold at zero, a second press, the way back after paying.

use sqlx::PgPool;

use super::{choose_seat, inside, pay};
use crate::support::{ConcertOptions, Office, read_all, read_one, run_sql, run_sql_with};

/// Lets the hold of five minutes end in `secs` seconds.
async fn end_in(db: &PgPool, secs: i32) {
    run_sql_with(
        db,
        "update reservations set created_at = clock_timestamp() - make_interval(secs => 300 - $1),
             expires_at = clock_timestamp() + make_interval(secs => $1)",
        secs,
    )
    .await;
}

#[sqlx::test]
async fn a_hold_at_zero_offers_nothing_any_more(db: PgPool) {
    let office = Office::open_with(db.clone(), 1, &[]).await;
    let (concert, _, browser) = inside(&db, &office, ConcertOptions::default()).await;
    choose_seat(&browser, concert.seat_ids[0]).await;
    browser.press("[data-hold]").await;
    browser.until_at("/reservations/").await;
    // The page counts down to a moment that the server wrote: the next seconds are the last.
    end_in(&db, 4).await;
    browser.reload().await;
    browser.find("#ended").await;
    for gone in ["#pay", "#policy", "#more", "#held-until"] {
        assert!(!browser.shows(gone).await, "{gone} is offered after the end");
    }
    browser.press("#ended a").await;
    browser.until_at("/schedules/").await;
    browser.close().await;
    office.close_as_it_is().await;
}

#[sqlx::test]
async fn time_that_is_given_back_shows_by_itself_also_after_zero(db: PgPool) {
    let office = Office::open_with(db.clone(), 1, &[("TEST_EXPIRY_PERIOD_MS", "3600000")]).await;
    let (concert, _, browser) = inside(&db, &office, ConcertOptions::default()).await;
    let admin = office.employ("admin", "ADMIN").await;
    choose_seat(&browser, concert.seat_ids[0]).await;
    browser.press("[data-hold]").await;
    browser.until_at("/reservations/").await;
    end_in(&db, 10).await;
    browser.reload().await;
    let path = format!("/admin/programs/{}/queue/given-time", concert.program_id);
    let body = serde_json::json!({ "minutes": 5, "reason": "the card network was slow" });
    let given = admin.post_json(&path, &body).await;
    assert_eq!(given.status, 200, "{}", given.body);
    assert!(browser.text("[data-given-time] .notice").await.contains("5 minutes more"));
    browser.find("#pay").await;
    assert!(!browser.shows("#ended").await, "what the end hid is there again");
    let end: String = read_one(
        &db,
        "select to_char(expires_at at time zone 'Asia/Seoul', 'HH24:MI') from reservations",
    )
    .await;
    assert!(browser.text("#held-until").await.contains(&end), "the sentence tells the new end");
    // The end that was agreed, for the comparison of all at the close.
    run_sql(
        &db,
        "update reservations
         set expires_at = created_at + make_interval(secs => hold_ttl_secs) + given_time",
    )
    .await;
    pay(&browser).await;
    browser.close().await;
    office.close_as_it_is().await;
}

#[sqlx::test]
async fn two_presses_pay_once(db: PgPool) {
    let office = Office::open_with(db.clone(), 1, &[]).await;
    let (concert, _, browser) = inside(&db, &office, ConcertOptions::default()).await;
    choose_seat(&browser, concert.seat_ids[0]).await;
    browser.press("[data-hold]").await;
    browser.until_at("/reservations/").await;
    browser.press(".choices button").await;
    browser.find("form[action$='/payment'] button").await;
    browser
        .run("arguments[0].click(); arguments[0].click()", "form[action$='/payment'] button")
        .await;
    browser.find(".strip").await;
    let paid: Vec<i64> =
        read_all(&db, "select amount from point_transactions where kind = 'PAYMENT'").await;
    assert_eq!(paid, [-50_000]);
    browser.close().await;
    office.close().await;
}

#[sqlx::test]
async fn the_way_back_after_paying_sells_nothing_twice(db: PgPool) {
    let office = Office::open_with(db.clone(), 1, &[]).await;
    let (concert, _, browser) = inside(&db, &office, ConcertOptions::default()).await;
    choose_seat(&browser, concert.seat_ids[0]).await;
    browser.press("[data-hold]").await;
    browser.until_at("/reservations/").await;
    let reservation = browser.path().await;
    pay(&browser).await;
    // The page with the button may come back from the browser's memory; what it sends pays nothing more.
    browser.back().await;
    if browser.shows("form[action$='/payment'] button").await {
        browser.press("form[action$='/payment'] button").await;
    }
    browser.visit(&reservation).await;
    browser.find(".reservation__tickets").await;
    assert!(!browser.shows("form[action$='/payment']").await);
    let n: i64 = read_one(&db, "select count(*) from tickets").await;
    assert_eq!(n, 1);
    browser.close().await;
    office.close().await;
}
