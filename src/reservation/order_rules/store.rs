//! SQL that reads live orders with their rules.

use sqlx::PgExecutor;

use super::model::{LiveItem, LiveOrder, TypeTerms};
use crate::{
    catalog::{Company, PriceTypeId, SeatId, SeatKind},
    reservation::model::{ReservationId, ReservationItemId},
};

struct ItemRow {
    order_id: ReservationId,
    places_min: Option<i32>,
    id: ReservationItemId,
    is_own: bool,
    places: i32,
    on_return: i32,
    kind: SeatKind,
    seat_id: Option<SeatId>,
    wheelchair_seat_id: Option<SeatId>,
    type_id: Option<PriceTypeId>,
    type_name: Option<String>,
    beside: Option<Company>,
    per_beside_max: Option<i32>,
}

impl From<ItemRow> for LiveItem {
    fn from(row: ItemRow) -> Self {
        let ItemRow { id, is_own, places, kind, seat_id, wheelchair_seat_id, .. } = row;
        let price_type = row.type_id.map(|id| TypeTerms {
            id,
            name: row.type_name.unwrap_or_default(),
            beside: row.beside,
            per_beside_max: row.per_beside_max,
        });
        let kept = places - row.on_return;
        Self { id, is_own, places, kept, kind, seat_id, wheelchair_seat_id, price_type }
    }
}

/// Lists paid orders with their live items and the rules by which they were held: for a page, or
/// after their rows were locked. Each order also has the companions' places that its account has or
/// holds in other orders of the performance.
pub(crate) async fn list_orders(
    db: impl PgExecutor<'_>,
    ids: &[ReservationId],
) -> Result<Vec<LiveOrder>, sqlx::Error> {
    let rows = sqlx::query_file_as!(
        ItemRow,
        "../../src/reservation/order_rules/list_orders.sql",
        ids as _,
    )
    .fetch_all(db)
    .await?;
    let mut orders: Vec<LiveOrder> = Vec::new();
    for row in rows {
        let (reservation_id, places_min) = (row.order_id, row.places_min);
        let item = LiveItem::from(row);
        match orders.last_mut() {
            Some(order) if order.reservation_id == reservation_id => order.items.push(item),
            _ => orders.push(LiveOrder { reservation_id, places_min, items: vec![item] }),
        }
    }
    Ok(orders)
}
