//! Codes as administrators make, limit and withdraw them.

use serde_json::{Value, json};
use sqlx::PgPool;

use crate::support::{Answer, Concert, Hold, Office, Person, acts, read_one, run_sql_with};

fn path(concert: &Concert) -> String {
    format!("/admin/programs/{}/codes", concert.program_id)
}

async fn make(admin: &Person, concert: &Concert, form: &Value) -> Answer {
    admin.post_json(&path(concert), form).await
}

#[sqlx::test]
async fn an_administrator_makes_limits_and_withdraws_a_code(db: PgPool) {
    let office = Office::open_with(db.clone(), 1, &[]).await;
    let concert = Concert::usual(&db).await;
    let admin = office.employ("admin", "ADMIN").await;
    let form = json!({ "code": "summer", "percent": 20, "uses_max": 5, "uses_per_account_max": 1,
        "valid_from": "2026-01-01T10:00", "valid_until": "2090-01-01T10:00",
        "schedule_id": concert.schedule_id, "section": "Stalls" });
    let made = make(&admin, &concert, &form).await;
    assert_eq!((made.status, &made.json()["codes"]), (201, &json!(["SUMMER"])), "{}", made.body);
    let listed = admin.get(&path(&concert)).await.json();
    let code = &listed["codes"][0];
    assert_eq!(
        (&code["code"], &code["percent"], &code["uses"]),
        (&json!("SUMMER"), &json!(20), &json!(0))
    );
    // The times are of the program's clock.
    assert_eq!(code["valid_from"], "2026-01-01T01:00:00Z");
    let page = admin.visit(&path(&concert)).await;
    assert!(page.body.contains("SUMMER") && page.body.contains("0 of 5 uses"), "{}", page.body);
    let taken = make(&admin, &concert, &json!({ "code": "Summer", "amount": 5 })).await;
    assert_eq!((taken.status, taken.code().as_str()), (409, "code-taken"), "{}", taken.body);

    let id = code["id"].as_str().unwrap();
    let limit = format!("{}/{id}/limit", path(&concert));
    run_sql_with(&db, "update sale_codes set uses = 2 where word = $1", "SUMMER").await;
    let below = admin.post(&limit, &[("uses_max", 1)]).await;
    assert_eq!((below.status, below.code().as_str()), (409, "code-below-uses"), "{}", below.body);
    assert_eq!(below.json()["uses"], 2);
    for odd in ["0", "-1", "many", "1.5"] {
        assert_eq!(admin.post(&limit, &[("uses_max", odd)]).await.status, 422, "{odd}");
    }
    assert_eq!(admin.post(&limit, &[("uses_max", "2")]).await.status, 200);
    assert_eq!(admin.post(&limit, &[("uses_max", "")]).await.status, 200, "any number");
    run_sql_with(&db, "update sale_codes set uses = 0 where word = $1", "SUMMER").await;

    let withdrawal = format!("{}/{id}/withdrawal", path(&concert));
    assert_eq!(admin.submit(&withdrawal, &()).await.status, 303);
    let again = admin.post(&withdrawal, &()).await;
    assert_eq!((again.status, again.code().as_str()), (409, "code-withdrawn"));
    // The word is free again, with other terms.
    assert_eq!(make(&admin, &concert, &json!({ "code": "SUMMER", "amount": 5 })).await.status, 201);
    let of_another = Concert::usual(&db).await;
    let foreign = format!("{}/{id}/withdrawal", path(&of_another));
    assert_eq!(admin.post(&foreign, &()).await.status, 404);
    assert_eq!(
        acts(&db).await,
        ["codes-made", "code-limited", "code-limited", "code-withdrawn", "codes-made"]
    );
    office.close().await;
}

#[sqlx::test]
async fn random_codes_are_made_together_and_saved_as_a_file(db: PgPool) {
    let office = Office::open_with(db.clone(), 1, &[]).await;
    let concert = Concert::usual(&db).await;
    let admin = office.employ("admin", "ADMIN").await;
    let made =
        make(&admin, &concert, &json!({ "count": 100, "percent": 100, "uses_max": 1 })).await;
    assert_eq!(made.status, 201, "{}", made.body);
    let words: std::collections::BTreeSet<String> =
        serde_json::from_value(made.json()["codes"].clone()).unwrap();
    assert_eq!(words.len(), 100);
    assert!(words.iter().all(|word| word.len() == 14), "{words:?}");
    let file = admin.get(&format!("{}.csv", path(&concert))).await;
    assert_eq!(file.status, 200);
    assert_eq!(file.body.lines().count(), 101);
    assert!(words.iter().all(|word| file.body.contains(word.as_str())));
    let first = admin.get(&path(&concert)).await.json();
    assert!(first["next"].is_string(), "a hundred are more than a page");
    assert_eq!(read_one::<i64>(&db, "select count(*) from audit_log").await, 1);
    office.close().await;
}

#[sqlx::test]
async fn odd_terms_are_mistakes_of_their_fields(db: PgPool) {
    let office = Office::open_with(db.clone(), 1, &[]).await;
    let concert = Concert::usual(&db).await;
    let another = Concert::usual(&db).await;
    let admin = office.employ("admin", "ADMIN").await;
    for (form, field) in [
        (json!({ "code": "ODD" }), "percent"),
        (json!({ "code": "ODD", "percent": 10, "amount": 10 }), "percent"),
        (json!({ "code": "ODD", "percent": 0 }), "percent"),
        (json!({ "code": "ODD", "percent": 101 }), "percent"),
        (json!({ "code": "ODD", "percent": -5 }), "percent"),
        (json!({ "code": "ODD", "percent": 1.5 }), "percent"),
        (json!({ "code": "ODD", "amount": 0 }), "amount"),
        (json!({ "code": "ODD", "amount": -1 }), "amount"),
        (json!({ "code": "ODD", "amount": "9223372036854775808" }), "amount"),
        (json!({ "code": "no blanks", "percent": 5 }), "code"),
        (json!({ "code": "nul\0x", "percent": 5 }), "code"),
        (json!({ "code": "ODD", "count": 2, "percent": 5 }), "code"),
        (json!({ "count": 0, "percent": 5 }), "count"),
        (json!({ "count": 1_001, "percent": 5 }), "count"),
        (json!({ "percent": 5, "uses_max": 0 }), "uses_max"),
        (json!({ "percent": 5, "uses_per_account_max": -1 }), "uses_per_account_max"),
        (
            json!({ "percent": 5, "valid_from": "2030-01-01T00:00", "valid_until": "2029-01-01T00:00" }),
            "valid_until",
        ),
        (json!({ "percent": 5, "valid_from": "soon" }), "valid_from"),
        (json!({ "percent": 5, "schedule_id": "nonsense" }), "schedule_id"),
        (json!({ "percent": 5, "schedule_id": another.schedule_id }), "schedule_id"),
        (json!({ "percent": 5, "section": "A\nB" }), "section"),
    ] {
        let refused = make(&admin, &concert, &form).await;
        assert_eq!(
            (refused.status, refused.code().as_str()),
            (422, "invalid"),
            "{form}: {}",
            refused.body
        );
        assert!(refused.json()["fields"][field].is_string(), "{form}: {}", refused.body);
    }
    let page = admin.submit(&path(&concert), &[("code", "ODD"), ("percent", "0")]).await;
    assert_eq!(page.status, 422);
    assert!(page.body.contains("whole number from 1 to 100"), "{}", page.body);
    assert_eq!(read_one::<i64>(&db, "select count(*) from sale_codes").await, 0);
    office.close().await;
}

#[sqlx::test]
async fn discounts_are_shown_where_sales_are(db: PgPool) {
    let office = Office::open_with(db.clone(), 1, &[]).await;
    let concert = Concert::usual(&db).await;
    let admin = office.employ("admin", "ADMIN").await;
    assert_eq!(
        make(&admin, &concert, &json!({ "code": "SUMMER", "percent": 10 })).await.status,
        201
    );
    let ada = office.sign_in("ada").await;
    let hold = Hold { seat_ids: &concert.seat_ids[..2], ..Hold::default() };
    let id = hold.write(&db, &concert, ada.account_id).await;
    run_sql_with(
        &db,
        "update reservations set sale_code_id = (select id from sale_codes),
        discount = 10000, total = 90000 where id = $1",
        id,
    )
    .await;
    run_sql_with(&db, "update sale_codes set uses = 1 where word = $1", "SUMMER").await;
    ada.post("/wallet/charges", &[("amount", 100_000)]).await;
    assert_eq!(ada.post(&format!("/reservations/{id}/payment"), &()).await.status, 201);
    let program = format!("/admin/programs/{}", concert.program_id);
    let file = admin.get(&format!("{program}/sales.csv")).await;
    assert_eq!(file.records()[1][6..10], ["90000", "", "10000", "SUMMER"], "{}", file.body);
    let sales = admin.visit(&format!("{program}/sales")).await;
    assert!(
        sales.body.contains("90,000 points") && sales.body.contains("10,000 points of discounts"),
        "{}",
        sales.body
    );
    let booking = admin.visit(&format!("/admin/reservations/{id}")).await;
    assert!(
        booking.body.contains("Code SUMMER") && booking.body.contains("10,000"),
        "{}",
        booking.body
    );
    let data = ada.get("/account/data.json").await.json();
    let own = &data["reservations"]["rows"][0];
    assert_eq!((&own["code"], &own["discount"]), (&json!("SUMMER"), &json!(10_000)));
    office.close().await;
}
