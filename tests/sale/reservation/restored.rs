//! Maps after a logical restore, whose rows bear transactions of another cluster, and after a
//! venue got another plan.

use std::fmt::Write as _;

use serde_json::{Value, json};
use sqlx::PgPool;

use super::{admit, hold};
use crate::support::{
    Concert, ConcertOptions, Office, Person, eventually, read_one, run_sql, until,
};

async fn changes(person: &Person, concert: &Concert, since: &str) -> Value {
    let path = format!("/schedules/{}/changes?since={since}", concert.schedule_id);
    let answer = person.get(&path).await;
    assert_eq!(answer.status, 200, "{}", answer.body);
    answer.json()
}

fn n_seats(changes: &Value) -> usize {
    changes["seats"].as_array().unwrap().len()
}

/// Waits until a question from `since` is answered with as many seats, and says from where to
/// ask next.
async fn until_shown(person: &Person, concert: &Concert, since: &str, n: usize) -> String {
    eventually("as many seats", async || {
        let told = changes(person, concert, since).await;
        let is_whole = n_seats(&told) == n;
        if is_whole { Ok(told["cursor"].as_str().unwrap().to_owned()) } else { Err(told) }
    })
    .await
}

async fn restore(db: &PgPool) {
    for table in ["schedule_seats", "zones"] {
        let sql = format!("update {table} set changed_xid = '9000000000'");
        sqlx::query(sqlx::AssertSqlSafe(sql)).execute(db).await.unwrap();
    }
}

#[sqlx::test]
async fn rows_of_another_cluster_are_not_told_again_and_what_changes_is(db: PgPool) {
    let office = Office::open(db.clone()).await;
    let concert = Concert::usual(&db).await;
    let people = office.crowd(2, "ada").await;
    admit(&db, &concert, &people).await;
    restore(&db).await;
    let map = people[0].get(&format!("/schedules/{}", concert.schedule_id)).await.json();
    assert_eq!(map["seats"].as_array().unwrap().len(), 20);
    let cursor = map["cursor"].as_str().unwrap();
    // The first look of an instance and the ones that follow.
    for _ in 0..3 {
        let told = changes(&people[0], &concert, cursor).await;
        assert_eq!((n_seats(&told), told["zones"].as_array().unwrap().len()), (0, 0), "{told}");
    }
    assert_eq!(hold(&people[1], &concert, &concert.seat_ids[..2]).await.status, 201);
    until_shown(&people[0], &concert, cursor, 2).await;
    // Everything is everything.
    assert_eq!(n_seats(&changes(&people[0], &concert, "").await), 20);
    office.close().await;
}

#[sqlx::test]
async fn a_viewer_from_before_the_restore_is_told_everything_and_goes_on_from_there(db: PgPool) {
    let office = Office::open(db.clone()).await;
    let concert = Concert::usual(&db).await;
    let people = office.crowd(2, "ada").await;
    admit(&db, &concert, &people).await;
    restore(&db).await;
    let told = changes(&people[0], &concert, "8999999999").await;
    assert_eq!(n_seats(&told), 20, "{told}");
    let cursor = told["cursor"].as_str().unwrap();
    assert!(cursor.parse::<i64>().unwrap() < 8_999_999_999, "{cursor}");
    assert_eq!(hold(&people[1], &concert, &concert.seat_ids[3..4]).await.status, 201);
    until_shown(&people[0], &concert, cursor, 1).await;
    office.close().await;
}

/// A plan of forty seats a row that begins at `left`.
fn plan(seats: usize, left: usize) -> String {
    let mut csv = "section,row,number,x,y\n".to_owned();
    for idx in 0..seats {
        let (row, number) = (idx / 10, idx % 10);
        let row_label = char::from(b'A' + u8::try_from(row % 26).unwrap());
        let _ = writeln!(
            csv,
            "Stalls,{row_label}{},{},{},{row}",
            row / 26,
            number + 1,
            left + number * 3
        );
    }
    csv
}

#[sqlx::test]
async fn a_plan_that_moves_seats_is_seen_on_large_maps_too(db: PgPool) {
    const SEATS: usize = 1_600;
    let office = Office::open(db.clone()).await;
    let options = ConcertOptions { seats: 1, ..ConcertOptions::default() };
    let concert = Concert::with(&db, options).await;
    let admin = office.employ("admin", "ADMIN").await;
    let ada = office.sign_in("ada").await;
    admit(&db, &concert, std::slice::from_ref(&ada)).await;
    run_sql(&db, "update seats set row_label = 'A0'").await;
    let venue: uuid::Uuid = read_one(&db, "select venue_id from schedules").await;
    let path = format!("/admin/venues/{venue}/seats");
    let save = async |version: i64, csv: String| {
        let saved = admin.post_json(&path, &json!({ "version": version, "csv": csv })).await;
        assert_eq!(saved.status, 200, "{}", saved.body);
    };
    save(0, plan(SEATS, 0)).await;
    let prices = json!({ "version": 0, "section": "Stalls", "price": 50_000 });
    let schedule = format!("/admin/schedules/{}/prices", concert.schedule_id);
    assert_eq!(admin.post_json(&schedule, &prices).await.status, 200);

    let map = format!("/schedules/{}?section=Stalls", concert.schedule_id);
    // How wide the drawing is: as wide as the rows.
    let width = async || ada.visit(&map).await.attribute("[data-width]", "data-width");
    let before = width().await;
    // Every row of the hall now begins further from the left than the one before.
    let csv = plan(SEATS, 0).replace(",1,0,", ",1,-40,");
    save(1, csv).await;
    until("the map shows the new plan", async || width().await != before).await;
    office.close().await;
}
