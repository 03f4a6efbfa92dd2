//! Kinds of seats in a venue's plan, and until when places are kept.

use serde_json::json;
use sqlx::PgPool;

use super::{field, make_venue};
use crate::support::{Concert, Hold, Office, Purchase, acts, read_all, read_one};

const HEADER: &str = "section,row,number,x,y,kind,companion_of\n";

/// Kinds of the seats of the one performance, in the order of their numbers.
async fn performed(db: &PgPool) -> Vec<String> {
    let kinds = "select c.kind || coalesce(' ' || w.number, '') from schedule_seats c
        join seats s on s.id = c.seat_id left join seats w on w.id = c.wheelchair_seat_id
        order by s.row_label, s.number";
    read_all(db, kinds).await
}

#[sqlx::test]
async fn a_plan_with_kinds_is_read_shown_and_saved_as_it_was(db: PgPool) {
    let office = Office::open_with(db.clone(), 1, &[]).await;
    let admin = office.employ("admin", "ADMIN").await;
    let venue = make_venue(&admin, "Stalls, 1, 2").await;
    let path = format!("/admin/venues/{venue}/seats");
    let lines = "Stalls,A,1,0,0,WHEELCHAIR,\nStalls,A,2,1,0,COMPANION,1\nStalls,A,3,2,0,,\n\
                 Stalls,A,4,3,0,EASY_ACCESS,\nStalls,A,5,4,0,RESTRICTED_VIEW,\n";
    let form = [("version", "1".to_owned()), ("csv", format!("{HEADER}{lines}"))];
    let preview = admin.submit(&format!("{path}/preview"), &form).await;
    assert_eq!(preview.status, 200, "{}", preview.body);
    let rows = preview.texts("tbody tr");
    assert!(rows.contains(&"C Companion seat1".to_owned()), "{rows:?}");
    assert_eq!(preview.texts(".seat-plan__sign"), ["W", "C", "E", "R"]);
    assert_eq!(admin.submit(&path, &form).await.status, 303);
    let saved = admin.get(&format!("{path}.csv")).await;
    assert_eq!(saved.body.replace('"', ""), format!("\u{feff}{HEADER}{lines}"));
    // The file is read again; its mark too.
    let again = [("version", "2".to_owned()), ("csv", saved.body)];
    assert_eq!(admin.submit(&path, &again).await.status, 303);
    let plain = make_venue(&admin, "Box, 1, 1").await;
    let plain = admin.get(&format!("/admin/venues/{plain}/seats.csv")).await;
    let quoted =
        "\u{feff}\"section\",\"row\",\"number\",\"x\",\"y\"\n\"Box\",\"A\",\"1\",\"0\",\"0\"\n";
    assert_eq!(plain.body, quoted);
    office.close().await;
}

#[sqlx::test]
async fn a_kind_that_cannot_be_is_named_with_its_line(db: PgPool) {
    let office = Office::open_with(db.clone(), 1, &[]).await;
    let admin = office.employ("admin", "ADMIN").await;
    let venue = make_venue(&admin, "Stalls, 1, 2").await;
    let path = format!("/admin/venues/{venue}/seats");
    let cases = [
        ("A,1,THRONE,", 2, "kind"),
        ("A,1,wheelchair,", 2, "kind"),
        ("A,1,WHEELCHAIR,\nA,2,COMPANION,", 3, "companion"),
        ("A,1,WHEELCHAIR,\nA,2,COMPANION,one", 3, "companion"),
        ("A,1,WHEELCHAIR,\nA,2,,1", 3, "companion"),
        ("A,2,COMPANION,9\nA,1,WHEELCHAIR,", 2, "no-such-place"),
        ("B,1,WHEELCHAIR,\nA,2,COMPANION,1", 3, "no-such-place"),
        ("A,1,,\nA,2,COMPANION,1", 3, "not-wheelchair"),
        ("A,1,COMPANION,1", 2, "not-wheelchair"),
        ("A,1,WHEELCHAIR,\nA,1,,", 3, "twice"),
    ];
    for (lines, line, problem) in cases {
        let lines = lines.replace('\n', "\nStalls,");
        let csv = format!("section,row,number,kind,companion_of\nStalls,{lines}\n");
        let form = [("version", "1".to_owned()), ("csv", csv)];
        let refused = admin.post(&path, &form).await;
        assert_eq!((refused.status, refused.code().as_str()), (422, "invalid-plan"), "{lines}");
        let told = (field(&refused, "line"), field(&refused, "problem"));
        assert_eq!(told, (line.into(), problem.into()), "{lines}");
        let page = admin.submit(&path, &form).await;
        assert!(page.body.contains(&format!("Line {line}:")), "{}", page.body);
    }
    assert_eq!(read_one::<i64>(&db, "select count(*) from seats").await, 2);
    office.close().await;
}

#[sqlx::test]
async fn a_new_kind_reaches_the_performances_unless_the_seat_is_sold(db: PgPool) {
    let office = Office::open_with(db.clone(), 1, &[]).await;
    let concert = Concert::usual(&db).await;
    let admin = office.employ("admin", "ADMIN").await;
    let ada = office.sign_in("ada").await;
    let hold = Hold { seat_ids: &concert.seat_ids[2..3], ..Hold::default() };
    Purchase::make(&db, &concert, &ada, hold).await;
    let venue: uuid::Uuid = read_one(&db, "select venue_id from schedules").await;
    let path = format!("/admin/venues/{venue}/seats");
    let save = async |version: i64, change: &[(&str, &str)]| {
        let mut csv = admin.get(&format!("{path}.csv")).await.body.replace('"', "");
        if !csv.contains(",kind,") {
            csv = csv.replace('\n', ",,\n").replacen(",,\n", ",kind,companion_of\n", 1);
        }
        for (from, to) in change {
            assert!(csv.contains(from), "{from} is not in {csv}");
            csv = csv.replace(from, to);
        }
        let form =
            [("version", version.to_string()), ("csv", csv), ("moved", "drawing".to_owned())];
        admin.post(&path, &form).await
    };
    let pair = [
        ("Stalls,A,1,0,0,,", "Stalls,A,1,0,0,WHEELCHAIR,"),
        ("Stalls,A,2,1,0,,", "Stalls,A,2,1,0,COMPANION,1"),
    ];
    let saved = save(0, &pair).await;
    assert_eq!(saved.status, 200, "{}", saved.body);
    assert_eq!(performed(&db).await[..3], ["WHEELCHAIR", "COMPANION 1", "STANDARD"]);
    office.verify().await;

    let refused = save(1, &[("Stalls,A,3,2,0,,", "Stalls,A,3,2,0,WHEELCHAIR,")]).await;
    assert_eq!((refused.status, refused.code().as_str()), (409, "kinds-in-use"));
    assert_eq!(refused.json()["seats"], json!(["Stalls A-3"]));
    // A seat may move while it is sold, and other seats may get another kind.
    let others = [("Stalls,A,3,2,0,,", "Stalls,A,3,2,0.5,,"), ("COMPANION,1", ",")];
    let saved = save(1, &others).await;
    assert_eq!(saved.status, 200, "{}", saved.body);
    assert_eq!(performed(&db).await[..3], ["WHEELCHAIR", "STANDARD", "STANDARD"]);
    // The grid knows no kinds: all seats are ordinary again.
    let grid = [("version", "2"), ("grid", "Stalls, 2, 10"), ("moved", "drawing")];
    assert_eq!(admin.post(&path, &grid).await.status, 200);
    assert_eq!(performed(&db).await[0], "STANDARD");
    office.verify().await;
    office.close().await;
}

#[sqlx::test]
async fn a_pair_that_no_performance_has_is_removed_and_a_new_one_is_sold_as_it_is(db: PgPool) {
    let office = Office::open_with(db.clone(), 1, &[]).await;
    let admin = office.employ("admin", "ADMIN").await;
    let concert = Concert::usual(&db).await;
    let venue: uuid::Uuid = read_one(&db, "select venue_id from schedules").await;
    let path = format!("/admin/venues/{venue}/seats");
    let csv = admin.get(&format!("{path}.csv")).await.body.replace('"', "");
    let kinds = csv.replace('\n', ",,\n").replacen(",,\n", ",kind,companion_of\n", 1);
    let save = async |version: &str, csv: &str| {
        admin.post(&path, &[("version", version), ("csv", csv)]).await
    };
    let pair = format!("{kinds}Box,A,2,1,9,COMPANION,1\nBox,A,1,0,9,WHEELCHAIR,\n");
    assert_eq!(save("0", &pair).await.status, 200);
    let turned = format!("{kinds}Box,A,2,1,9,WHEELCHAIR,\nBox,A,3,2,9,COMPANION,2\n");
    let saved = save("1", &turned).await;
    assert_eq!(saved.status, 200, "{}", saved.body);
    let prices = [("version", "0"), ("section", "Box"), ("price", "90000")];
    let prices_path = format!("/admin/schedules/{}/prices", concert.schedule_id);
    assert_eq!(admin.post(&prices_path, &prices).await.status, 200);
    assert_eq!(performed(&db).await[..3], ["STANDARD", "WHEELCHAIR", "STANDARD"]);
    assert!(performed(&db).await.contains(&"COMPANION 2".to_owned()));
    office.verify().await;
    office.close().await;
}

#[sqlx::test]
async fn an_administrator_says_until_when_places_are_kept(db: PgPool) {
    let office = Office::open_with(db.clone(), 1, &[]).await;
    let concert = Concert::usual(&db).await;
    let admin = office.employ("admin", "ADMIN").await;
    let schedule = format!("/admin/schedules/{}", concert.schedule_id);
    let path = format!("{schedule}/kept-places");
    for nonsense in ["-1", "8761", "99999999999999999999", "soon", "1.5"] {
        let form = [("version", "0"), ("until_hours", nonsense)];
        let refused = admin.post(&path, &form).await;
        assert_eq!((refused.status, refused.code().as_str()), (422, "invalid"), "{nonsense}");
        assert_eq!(admin.submit(&path, &form).await.status, 422);
    }
    let saved = admin.post(&path, &[("version", "0"), ("until_hours", "48")]).await;
    assert_eq!((saved.status, field(&saved, "kept_until_hours")), (200, 48.into()));
    let stale = admin.post(&path, &[("version", "0"), ("until_hours", "1")]).await;
    assert_eq!((stale.status, stale.code().as_str()), (409, "changed-meanwhile"));
    let page = admin.visit(&schedule).await;
    assert_eq!(page.attribute("[name='until_hours']", "value"), "48");
    let never = admin.post(&path, &[("version", "1"), ("until_hours", "")]).await;
    assert_eq!(field(&never, "kept_until_hours"), json!(null));
    assert_eq!(acts(&db).await, ["kept-places-set", "kept-places-set"]);
    office.close().await;
}
