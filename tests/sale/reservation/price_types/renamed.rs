//! A type for a zone is had there, whatever the zone is called later.

use serde_json::json;
use sqlx::PgPool;
use uuid::Uuid;

use super::{
    super::{edit, rename_zone},
    House,
};
use crate::support::read_one;

#[sqlx::test]
async fn a_type_is_had_in_its_zone_under_another_name_and_in_no_other(db: PgPool) {
    let house = House::open(&db, 3).await;
    let half = json!({ "percent": 50, "sections": ["Stalls", "Standing"] });
    let half = house.make("Half", half).await;
    let zone = house.concert.zone_id;
    let other = json!({ "name": "Terrace", "price": 10_000, "capacity": 5 });
    edit(&house.office, &house.concert, "zones", other).await;
    let other: Uuid = read_one(&db, "select id from zones where name = 'Terrace'").await;
    for (zone_id, name) in [(zone, "Floor"), (other, "Standing")] {
        rename_zone(&house.office, &house.concert, zone_id, name).await;
    }
    let types = house.admin.get(&house.types_path()).await.json();
    assert_eq!(types["price_types"][0]["sections"], json!(["Floor", "Stalls"]), "{types}");
    let order =
        |zone: Uuid, half: Uuid| json!({ "zone_id": zone, "quantities": [format!("{half}:1")] });
    let held = house.order(0, order(zone, half)).await;
    assert_eq!((held.status, held.json()["total"].as_i64()), (201, Some(15_000)), "{}", held.body);
    let refused = house.order(1, order(other, half)).await;
    assert_eq!((refused.status, refused.code().as_str()), (422, "price-type-elsewhere"));
    // An edit of what the page shows keeps the meaning.
    let shown = json!({ "percent": 50, "sections": ["Floor", "Stalls"] });
    let half = house.replace(half, "Half", shown).await;
    assert_eq!(house.order(2, order(zone, half)).await.status, 201);
    house.office.close().await;
}
