//! Settlements: the page, the document and the files say the same, and it is what the ledger has.

use serde_json::{Value, json};
use sqlx::PgPool;

use super::{booked, bought, cancel, for_money, give_back, say_seller, sums};
use crate::support::{Concert, Hold, Office, Purchase, agree_on, run_sql};

/// Sum of `name` over the rows of a dimension.
pub(super) fn sum_of(document: &Value, dimension: &str, name: &str) -> i64 {
    let rows = document["rows"].as_array().unwrap_or_else(|| panic!("{document}")).iter();
    rows.filter(|row| row["dimension"] == dimension).map(|row| row[name].as_i64().unwrap()).sum()
}

pub(super) const DIMENSIONS: [&str; 7] =
    ["show", "performance", "section", "price_type", "code", "channel", "day"];

#[sqlx::test]
async fn a_settlement_is_what_the_ledger_has_by_whatever_it_is_added_up(db: PgPool) {
    let (_stripe, office, ada) = for_money(&db, "KWD", "10").await;
    say_seller(&db, 500).await;
    let (concert, id, codes) = bought(&db, &ada).await;
    agree_on(&db, id, 90, 1_000).await;
    give_back(&ada, &codes[0]).await;
    let other = Concert::usual(&db).await;
    let hold = Hold { seat_ids: &other.seat_ids[..1], refund_percent: 33, ..Hold::default() };
    let second = hold.write(&db, &other, ada.account_id).await;
    assert_eq!(super::pay(&ada, second).await.status, 201);
    assert_eq!(cancel(&ada, second).await.status, 200);
    booked(&db, 4).await;
    let admin = office.employ("admin", "ADMIN").await;
    let all = admin.get("/admin/settlement").await.json();
    let (ledger, _) = sums(&db).await;
    for dimension in ["total"].into_iter().chain(DIMENSIONS) {
        assert_eq!(sum_of(&all, dimension, "net"), ledger * 10, "{dimension}: {all}");
        assert_eq!(
            sum_of(&all, dimension, "sold") - sum_of(&all, dimension, "given_back"),
            ledger * 10
        );
        assert_eq!(sum_of(&all, dimension, "places_sold"), 4, "{dimension}");
        assert_eq!(sum_of(&all, dimension, "places_back"), 2, "{dimension}");
        assert_eq!(sum_of(&all, dimension, "tax"), sum_of(&all, "total", "tax"), "{dimension}");
    }
    let one = admin.get(&format!("/admin/settlement?program_id={}", concert.program_id)).await;
    assert_eq!(sum_of(&one.json(), "total", "places_sold"), 3);

    let file = admin.get("/admin/settlement.csv").await;
    let rows: Vec<&str> = file.body.trim_start_matches('\u{feff}').lines().collect();
    let column = |name: &str| {
        let header = rows[0].split(',').map(|cell| cell.trim_matches('"'));
        header.into_iter().position(|cell| cell == name).unwrap()
    };
    let total = |name: &str| {
        let cells = rows[1..].iter().map(|row| row.split("\",\"").nth(column(name)).unwrap());
        cells.map(|cell| cell.trim_matches('"').parse::<i64>().unwrap()).sum::<i64>()
    };
    assert_eq!(total("points"), ledger);
    assert_eq!(total("amount_minor"), ledger * 10);
    let lines = admin.get("/admin/settlement.jsonl").await;
    let lines: Vec<Value> =
        lines.body.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(lines.len(), rows.len() - 1);
    let points: i64 = lines.iter().map(|line| line["points"].as_i64().unwrap()).sum();
    assert_eq!(points, ledger);
    let page = admin.visit("/admin/settlement").await;
    assert!(page.body.contains("KWD") && page.body.contains("Fees kept"), "{}", page.body);
    office.close().await;
}

#[sqlx::test]
async fn a_period_is_a_year_at_most_and_a_day_that_is_over_never_changes(db: PgPool) {
    let office = Office::open_with(db.clone(), 1, &[]).await;
    let admin = office.employ("admin", "ADMIN").await;
    let (ada, concert) = (office.sign_in("ada").await, Concert::usual(&db).await);
    for wrong in [
        "first=2026-01-02&last=2026-01-01",
        "first=2025-01-01&last=2026-01-02",
        "first=yesterday",
        "last=99999-01-01",
        "program_id=1",
    ] {
        let refused = admin.get(&format!("/admin/settlement?{wrong}")).await;
        assert_eq!((refused.status, refused.code().as_str()), (422, "invalid"), "{wrong}");
        assert_eq!(admin.get(&format!("/admin/settlement.csv?{wrong}")).await.status, 422);
    }
    let year = admin.get("/admin/settlement?first=2024-01-01&last=2024-12-31").await.json();
    assert_eq!(year["rows"], json!([]), "nothing was sold");
    let hold = Hold { seat_ids: &concert.seat_ids[..1], ..Hold::default() };
    let own = Purchase::make(&db, &concert, &ada, hold).await;
    booked(&db, 1).await;
    let before = admin.get("/admin/settlement").await.json();
    run_sql(&db, "update seats set section = 'Renamed'").await;
    run_sql(&db, "update programs set title = 'Renamed'").await;
    assert_eq!(admin.get("/admin/settlement").await.json(), before, "names are those of the sale");
    assert_eq!(cancel(&ada, own.reservation_id).await.status, 200);
    booked(&db, 2).await;
    let after = admin.get("/admin/settlement").await.json();
    assert_eq!((sum_of(&after, "total", "sold"), sum_of(&after, "total", "net")), (50_000, 0));
    let list = admin.get("/admin/receipts").await.json();
    assert_eq!(list["receipts"].as_array().unwrap().len(), 2);
    let page = admin.visit("/admin/receipts").await;
    assert!(page.has("a[href='/admin/receipts/1.pdf']"), "{}", page.body);
    super::file_of(&admin, "/admin/receipts/1.pdf").await;
    let file = admin.get("/admin/receipts.csv").await;
    assert_eq!(file.body.lines().count(), 3, "{}", file.body);
    assert_eq!(admin.get("/admin/receipts?before=2").await.json()["receipts"][0]["number"], 1);
    office.close().await;
}
