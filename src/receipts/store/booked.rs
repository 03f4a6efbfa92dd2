//! SQL of what is booked already, which a refund continues.

use chrono::{DateTime, Utc};
use uuid::Uuid;

use crate::{
    catalog::{ProgramId, ScheduleId},
    infra::postgres::Connection,
    payment::PaymentId,
    receipts::{
        lines::LeftItem,
        model::{SaleChannel, SaleEntryKind, SaleTerms, SoldOrder},
    },
    reservation::{ReservationId, ReservationItemId},
};

/// Entry of a payment with the buyer that its receipt names.
struct BookedRow {
    payment_id: PaymentId,
    reservation_id: ReservationId,
    schedule_id: ScheduleId,
    program_id: ProgramId,
    title: String,
    starts_at: DateTime<Utc>,
    time_zone: String,
    channel: SaleChannel,
    code: Option<String>,
    currency: Option<String>,
    point_minor: Option<i32>,
    tax_rate_bp: Option<i32>,
    buyer: Option<String>,
}

/// Lists the payments among `payments` that are booked, each with its order and the buyer of its receipt.
pub(in crate::receipts) async fn list_orders(
    tx: &mut Connection,
    payments: &[Uuid],
) -> Result<Vec<(PaymentId, SoldOrder, String)>, sqlx::Error> {
    let rows = sqlx::query_as!(
        BookedRow,
        r#"
        select payment_id as "payment_id: PaymentId", reservation_id as "reservation_id: ReservationId",
            schedule_id as "schedule_id: ScheduleId", program_id as "program_id: ProgramId",
            title, starts_at, time_zone,
            channel as "channel: SaleChannel", code, currency, point_minor, tax_rate_bp,
            (select buyer from receipts where entry_id = e.id order by edition desc limit 1) as buyer
        from (
            select * from sale_entries where reference_id = any($1) and kind = 'PAYMENT' offset 0
        ) e
        "#,
        payments,
    )
    .fetch_all(tx)
    .await?;
    let orders = rows.into_iter().map(|row| {
        let order = SoldOrder {
            reservation_id: row.reservation_id,
            schedule_id: row.schedule_id,
            program_id: row.program_id,
            title: row.title,
            starts_at: row.starts_at,
            time_zone: row.time_zone,
            channel: row.channel,
            code: row.code,
            terms: SaleTerms::of(row.currency.as_deref(), row.point_minor, row.tax_rate_bp),
        };
        (row.payment_id, order, row.buyer.unwrap_or_default())
    });
    Ok(orders.collect())
}

/// Item of a booked payment with what is left of it.
struct LeftRow {
    payment_id: PaymentId,
    item_id: ReservationItemId,
    section: String,
    price_type: Option<String>,
    places: i32,
    price: i64,
    points: i64,
}

/// Lists what is left of the items of booked payments, in the order of the items.
pub(in crate::receipts) async fn list_left(
    tx: &mut Connection,
    payments: &[Uuid],
) -> Result<Vec<(PaymentId, LeftItem)>, sqlx::Error> {
    let rows = sqlx::query_as!(
        LeftRow,
        r#"
        select e.payment_id as "payment_id: PaymentId", l.item_id as "item_id: ReservationItemId",
            min(l.section) as "section!", min(l.price_type) as price_type,
            sum(l.places)::integer as "places!", sum(l.price)::bigint as "price!",
            sum(l.price + l.fee)::bigint as "points!"
        from (select id, payment_id from sale_entries where payment_id = any($1) offset 0) e
        cross join lateral (
            select item_id, section, price_type, places, price, fee
            from sale_entry_lines where entry_id = e.id offset 0
        ) l
        group by e.payment_id, l.item_id
        order by l.item_id
        "#,
        payments,
    )
    .fetch_all(tx)
    .await?;
    let left = rows.into_iter().map(|row| {
        let LeftRow { payment_id, item_id, section, price_type, places, price, points } = row;
        (payment_id, LeftItem { item_id, section, price_type, places, price, points })
    });
    Ok(left.collect())
}

/// Lists which of the entries with these references are booked.
pub(in crate::receipts) async fn list_references(
    tx: &mut Connection,
    references: &[Uuid],
) -> Result<Vec<(Uuid, SaleEntryKind)>, sqlx::Error> {
    let rows = sqlx::query!(
        r#"
        select reference_id, kind as "kind: SaleEntryKind" from sale_entries
        where reference_id = any($1)
        "#,
        references,
    )
    .fetch_all(tx)
    .await?;
    Ok(rows.into_iter().map(|row| (row.reference_id, row.kind)).collect())
}
