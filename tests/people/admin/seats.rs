//! Venues' seats from a CSV or a grid, and seats that must stay because they are sold.

use std::fmt::Write as _;

use reqwest::{Method, multipart::Form};
use sqlx::PgPool;

use super::{field, make_venue};
use crate::support::{Concert, Hold, Office, Purchase, acts, read_all, read_one};

async fn seat_names(db: &PgPool) -> Vec<String> {
    read_all(db, "select section || row_label || number from seats order by id").await
}

#[sqlx::test]
async fn a_csv_is_previewed_before_it_is_saved(db: PgPool) {
    let office = Office::open(db.clone()).await;
    let admin = office.employ("admin", "ADMIN").await;
    let venue = make_venue(&admin, "Stalls, 1, 2").await;
    let path = format!("/admin/venues/{venue}/seats");
    let csv = "section,row,number,x,y\nStalls,A,1,0,0\nBox,A,1,0.5,3\n";
    let upload = || Form::new().text("version", "1").text("file", csv);

    let preview = admin.asks(Method::POST, &format!("{path}/preview"), "text/html");
    let preview = admin.send(preview.multipart(upload())).await;
    assert_eq!(preview.status, 200, "{}", preview.body);
    assert!(preview.has("circle") && preview.body.contains("Box,A,1,0.5,3"));
    assert_eq!(seat_names(&db).await, ["StallsA1", "StallsA2"], "a preview saves nothing");

    let saved = admin.send(admin.asks(Method::POST, &path, "text/html").multipart(upload())).await;
    assert_eq!(saved.status, 303, "{}", saved.body);
    assert_eq!(seat_names(&db).await, ["StallsA1", "BoxA1"]);
    let stale = admin.post(&path, &[("version", "1"), ("grid", "Stalls, 1, 9")]).await;
    assert_eq!((stale.status, stale.code().as_str()), (409, "changed-meanwhile"));
    office.close().await;
}

#[sqlx::test]
async fn a_broken_line_is_named_and_nothing_is_imported(db: PgPool) {
    let office = Office::open_with(db.clone(), 1, &[]).await;
    let admin = office.employ("admin", "ADMIN").await;
    let venue = make_venue(&admin, "Stalls, 1, 2").await;
    let header = "section,row,number\n";
    let cases = [
        ("Stalls,A,1\nStalls,A,x\n", 3, "number"),
        ("Stalls,A,1\nStalls,A,1\n", 3, "twice"),
        ("Stalls,A\n", 2, "shape"),
        ("Stalls,,1\n", 2, "name"),
    ];
    for (lines, line, problem) in cases {
        for action in ["/preview", ""] {
            let path = format!("/admin/venues/{venue}/seats{action}");
            let form = [("version", "1".to_owned()), ("csv", format!("{header}{lines}"))];
            let refused = admin.post(&path, &form).await;
            assert_eq!((refused.status, refused.code().as_str()), (422, "invalid-plan"));
            assert_eq!(
                (field(&refused, "line"), field(&refused, "problem")),
                (line.into(), problem.into())
            );
            let page = admin.submit(&path, &form).await;
            assert!(page.body.contains(&format!("Line {line}:")), "{}", page.body);
        }
    }
    let grid = [("version", "1"), ("grid", "Stalls, two, 10")];
    let page = admin.submit(&format!("/admin/venues/{venue}/seats"), &grid).await;
    assert_eq!(page.texts("[name='grid']"), ["Stalls, two, 10"], "{}", page.body);
    let nonsense = admin.post(&format!("/admin/venues/{venue}/seats"), &[("version", "1")]).await;
    assert_eq!((nonsense.status, field(&nonsense, "problem")), (422, "empty".into()));
    assert_eq!(seat_names(&db).await, ["StallsA1", "StallsA2"]);
    office.close().await;
}

#[sqlx::test]
async fn seats_that_are_sold_stay_and_are_named(db: PgPool) {
    let office = Office::open(db.clone()).await;
    let concert = Concert::usual(&db).await;
    let admin = office.employ("admin", "ADMIN").await;
    let ada = office.sign_in("ada").await;
    let hold = Hold { seat_ids: &concert.seat_ids[..1], places: 3, ..Hold::default() };
    Purchase::make(&db, &concert, &ada, hold).await;
    let schedule = format!("/admin/schedules/{}", concert.schedule_id);
    let block = format!("{schedule}/blocks");

    let row = [("version", "0"), ("section", "Stalls"), ("row", "A"), ("act", "block")];
    let refused = admin.post(&block, &row).await;
    assert_eq!((refused.status, refused.code().as_str()), (409, "seats-in-use"));
    assert_eq!(refused.json()["seats"], serde_json::json!(["Stalls A-1"]));
    assert!(admin.submit(&block, &row).await.body.contains("Stalls A-1"));
    let others = [
        ("version", "0"),
        ("section", "Stalls"),
        ("row", "A"),
        ("numbers", "2-10"),
        ("act", "block"),
    ];
    let blocked = admin.post(&block, &others).await;
    assert_eq!((blocked.status, field(&blocked, "changed")), (200, 9.into()), "{}", blocked.body);
    let back = [("version", "1"), ("section", "Stalls"), ("act", "unblock")];
    assert_eq!(field(&admin.post(&block, &back).await, "changed"), 9);
    let nowhere = [("version", "2"), ("section", "Nowhere"), ("act", "block")];
    assert_eq!(admin.post(&block, &nowhere).await.status, 404);

    let zone = format!("{schedule}/zones/{}", concert.zone_id);
    let size = |capacity| {
        [("version", "2"), ("name", "Floor"), ("price", "30000"), ("capacity", capacity)]
    };
    let refused = admin.post(&zone, &size("2")).await;
    assert_eq!((refused.status, refused.code().as_str()), (409, "places-in-use"));
    assert_eq!(admin.post(&zone, &size("0")).await.status, 422);
    assert_eq!(admin.post(&zone, &size("3")).await.status, 200);

    let venue: uuid::Uuid = read_one(&db, "select venue_id from schedules").await;
    let smaller = [("version", "0"), ("grid", "Stalls, 1, 5")];
    let refused = admin.post(&format!("/admin/venues/{venue}/seats"), &smaller).await;
    assert_eq!((refused.status, refused.code().as_str()), (409, "seats-in-use"));
    assert_eq!(acts(&db).await, ["seats-blocked", "seats-unblocked", "zone-edited"]);
    office.verify().await;
    office.close().await;
}

/// A CSV of long lines that is a little shorter than 8 MiB, and how many seats it has. `note`
/// stands in a column that the office does not keep.
fn large_csv(note: &str) -> (String, usize) {
    const BYTES: usize = 8 * 1024 * 1024 - 512;
    let name = "\u{1f3ad}".repeat(35);
    let mut csv = "section,row,number,note\n".to_owned();
    let mut seats = 0;
    while csv.len() + note.len() < BYTES - 400 {
        let (section, row, number) = (seats / 5_000, seats / 100, seats % 100 + 1);
        writeln!(csv, "{name}{section},{name}{row},{number},{note}").unwrap();
        seats += 1;
    }
    (csv, seats)
}

#[sqlx::test]
async fn a_csv_as_large_as_a_file_may_be_is_previewed_and_imported(db: PgPool) {
    let office = Office::open_with(db.clone(), 1, &[]).await;
    let admin = office.employ("admin", "ADMIN").await;
    let venue = make_venue(&admin, "Stalls, 1, 2").await;
    let path = format!("/admin/venues/{venue}/seats");
    let send = async |action: &str, field: &'static str, csv: String, accept: &str| {
        let request = admin.asks(Method::POST, &format!("{path}{action}"), accept);
        admin.send(request.multipart(Form::new().text("version", "1").text(field, csv))).await
    };

    let preview = send("/preview", "file", large_csv("").0, "text/html").await;
    assert_eq!(preview.status, 200, "{}", preview.code());
    // What the page sends back, as a browser does it, is not too large either.
    let carried = preview.body.split("<textarea name=\"csv\" hidden>").nth(1).unwrap();
    let carried = carried.split("</textarea>").next().unwrap().replace('\n', "\r\n");
    assert!(carried.len() > 8 * 1024 * 1024 - 64 * 1024, "{}", carried.len());
    let again = send("/preview", "csv", carried, "application/json").await;
    assert_eq!(again.status, 200, "{}", again.body);

    let (csv, seats) = large_csv(&"n".repeat(4_000));
    let broken = csv.clone() + "Stalls,A,x,\n";
    let refused = send("", "file", broken, "application/json").await;
    assert_eq!((refused.status, refused.code().as_str()), (422, "invalid-plan"));
    assert_eq!(field(&refused, "line"), seats + 2);
    assert_eq!(field(&refused, "problem"), "number");
    let more = csv.clone() + &"Stalls,A,1,\n".repeat(40_000);
    for action in ["/preview", ""] {
        let refused = send(action, "file", more.clone(), "application/json").await;
        assert_eq!((refused.status, refused.code().as_str()), (413, "body-too-large"));
    }
    assert_eq!(seat_names(&db).await, ["StallsA1", "StallsA2"], "nothing was imported");

    let saved = send("", "file", csv, "text/html").await;
    assert_eq!(saved.status, 303, "{}", saved.body);
    assert_eq!(seat_names(&db).await.len(), seats);
    office.close().await;
}
