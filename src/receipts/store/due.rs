//! SQL of what is to be booked: payments, refunds and places that left an order, in the order of time.

use chrono::{DateTime, Utc};
use uuid::Uuid;

use crate::{
    accounts::AccountId,
    catalog::{ProgramId, ScheduleId},
    infra::postgres::Connection,
    payment::PaymentId,
    points::Points,
    receipts::lines::PaidItem,
    reservation::{ReservationId, ReservationItemId},
};

/// How far is booked, and the next number.
#[derive(Clone, Debug)]
pub(in crate::receipts) struct BookingProgress {
    pub booked_until: DateTime<Utc>,
    /// Last row that is booked of those with exactly the moment `booked_until`.
    pub booked_id: Uuid,
    /// What was paid and given back from this moment on has a receipt.
    pub numbered_from: DateTime<Utc>,
    pub next_number: i64,
}

/// Locks the progress and returns it; `None` while another instance has it locked.
pub(in crate::receipts) async fn lock_progress(
    tx: &mut Connection,
) -> Result<Option<BookingProgress>, sqlx::Error> {
    sqlx::query_as!(
        BookingProgress,
        "select booked_until, booked_id, numbered_from, next_number from receipt_progress
        for no key update skip locked",
    )
    .fetch_optional(tx)
    .await
}

/// Kind of a row to be booked; of one moment and id, in this order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, sqlx::Type)]
#[repr(i16)]
pub(in crate::receipts) enum DueKind {
    Paid = 1,
    Returned = 2,
    Refunded = 3,
}

/// Row to be booked, with its moment.
#[derive(Clone, Copy, Debug)]
pub(in crate::receipts) struct DueRow {
    pub kind: DueKind,
    pub id: Uuid,
    pub at: DateTime<Utc>,
}

/// Lists at most `rows_max` orders that were paid, places that left an order by themselves, and orders that were
/// refunded, after the progress and before `until`, the earliest first. Orders of rehearsals are left out, and what is
/// booked, which is after the progress once PostgreSQL's clock was set back.
pub(in crate::receipts) async fn list(
    tx: &mut Connection,
    progress: &BookingProgress,
    until: DateTime<Utc>,
    rows_max: i64,
) -> Result<Vec<DueRow>, sqlx::Error> {
    sqlx::query_as!(
        DueRow,
        r#"
        select kind as "kind!: DueKind", id as "id!", at as "at!"
        from (
            (
                select 1::smallint as kind, id, confirmed_at as at from reservations r
                where confirmed_at >= $1 and confirmed_at < $3 and (confirmed_at > $1 or id > $2)
                    and not is_throwaway(program_id) and (
                        select true from (select id from payments where reservation_id = r.id offset 0) p
                        cross join lateral (
                            select from sale_entries where reference_id = p.id and kind = 'PAYMENT' offset 0) e
                        limit 1
                    ) is null
                order by confirmed_at, id
                limit $4
            )
            union all
            (
                select 2::smallint, id, settled_at from ticket_returns r
                where status = 'SOLD' and schedule_id is not null
                    and settled_at >= $1 and settled_at < $3 and (settled_at > $1 or id > $2)
                    and (select true from sale_entries where reference_id = r.id limit 1) is null
                order by settled_at, id
                limit $4
            )
            union all
            (
                select 3::smallint, id, settled_at from reservations r
                where status = 'REFUNDED' and confirmed_at is not null
                    and settled_at >= $1 and settled_at < $3 and (settled_at > $1 or id > $2)
                    and not is_throwaway(program_id) and (
                        select true from (select id from payments where reservation_id = r.id offset 0) p
                        cross join lateral (
                            select from sale_entries where reference_id = p.id and kind = 'REFUND' offset 0) e
                        limit 1
                    ) is null
                order by settled_at, id
                limit $4
            )
        ) due
        order by at, id, kind
        limit $4
        "#,
        progress.booked_until,
        progress.booked_id,
        until,
        rows_max,
    )
    .fetch_all(tx)
    .await
}

/// Payment of an order, with what its entries have in common.
#[derive(Clone, Debug)]
pub(in crate::receipts) struct PaidPayment {
    pub id: PaymentId,
    pub payer_id: AccountId,
    pub reservation_id: ReservationId,
    pub schedule_id: ScheduleId,
    pub program_id: ProgramId,
    pub title: String,
    pub starts_at: DateTime<Utc>,
    pub time_zone: String,
    pub paid_at: DateTime<Utc>,
    pub discount: Points,
    /// Word of the code; `None` without one.
    pub code: Option<String>,
    pub is_shared: bool,
    pub is_of_wish: bool,
    pub is_of_return: bool,
    /// Name or company for its receipt; empty: none.
    pub buyer: String,
    /// Points that a refund of the order gave back; zero without one.
    pub refunded: Points,
}

/// Lists the payments of orders, by their numbers within each; none of a rehearsal.
pub(in crate::receipts) async fn list_payments(
    tx: &mut Connection,
    reservations: &[Uuid],
) -> Result<Vec<PaidPayment>, sqlx::Error> {
    sqlx::query_as!(
        PaidPayment,
        r#"
        select p.id as "id: PaymentId", p.account_id as "payer_id: AccountId",
            r.id as "reservation_id: ReservationId", r.schedule_id as "schedule_id: ScheduleId",
            r.program_id as "program_id: ProgramId", g.title, d.starts_at, v.time_zone,
            r.confirmed_at as "paid_at!", r.discount as "discount: Points",
            (select word from sale_codes where id = r.sale_code_id) as code,
            r.is_shared, r.wish_id is not null as "is_of_wish!", r.buys_return as is_of_return,
            coalesce((
                select buyer from receipt_names
                where account_id = p.account_id and typed_at <= r.confirmed_at
                order by typed_at desc
                limit 1
            ), '') as "buyer!",
            (
                select coalesce(sum(amount), 0)::bigint from point_transactions
                where reference_id = p.id and kind = 'REFUND'
            ) as "refunded!: Points"
        from (select * from reservations where id = any($1) offset 0) r
        cross join lateral (
            select id, account_id, number from payments where reservation_id = r.id offset 0
        ) p
        cross join lateral (select title from programs where id = r.program_id offset 0) g
        cross join lateral (select starts_at, venue_id from schedules where id = r.schedule_id offset 0) d
        cross join lateral (select time_zone from venues where id = d.venue_id offset 0) v
        where r.confirmed_at is not null and not is_throwaway(r.program_id)
        order by r.id, p.number
        "#,
        reservations,
    )
    .fetch_all(tx)
    .await
}

/// Item with its order.
struct ItemRow {
    reservation_id: ReservationId,
    id: ReservationItemId,
    section: String,
    price_type: Option<String>,
    quantity: i32,
    unit_price: Points,
    was_on_return: bool,
}

/// Lists the items of orders, by their ids within each.
pub(in crate::receipts) async fn list_items(
    tx: &mut Connection,
    reservations: &[Uuid],
) -> Result<Vec<(ReservationId, PaidItem)>, sqlx::Error> {
    let rows = sqlx::query_as!(
        ItemRow,
        r#"
        select i.reservation_id as "reservation_id: ReservationId", i.id as "id: ReservationItemId",
            coalesce(
                (select name from zones where id = i.zone_id),
                (select section from seats where id = (
                    select seat_id from schedule_seats where id = i.schedule_seat_id))
            ) as "section!",
            (select name from price_types where id = i.price_type_id) as price_type,
            i.quantity, i.unit_price as "unit_price: Points",
            (i.return_id is not null or i.was_on_return) as "was_on_return!"
        from (select * from reservation_items where reservation_id = any($1) offset 0) i
        order by i.reservation_id, i.id
        "#,
        reservations,
    )
    .fetch_all(tx)
    .await?;
    let items = rows.into_iter().map(|row| {
        let ItemRow {
            reservation_id,
            id,
            section,
            price_type,
            quantity,
            unit_price,
            was_on_return,
        } = row;
        (reservation_id, PaidItem { id, section, price_type, quantity, unit_price, was_on_return })
    });
    Ok(items.collect())
}

/// Lists the places of shares, each with the payment of its share, which has the share's id.
pub(in crate::receipts) async fn list_share_places(
    tx: &mut Connection,
    payments: &[Uuid],
) -> Result<Vec<(PaymentId, ReservationItemId, i32)>, sqlx::Error> {
    let rows = sqlx::query!(
        r#"
        select share_id as "share_id: PaymentId", reservation_item_id as "item_id: ReservationItemId", number
        from share_places where share_id = any($1)
        "#,
        payments,
    )
    .fetch_all(tx)
    .await?;
    Ok(rows.into_iter().map(|row| (row.share_id, row.item_id, row.number)).collect())
}

/// Place that left an order by itself.
#[derive(Clone, Debug)]
pub(in crate::receipts) struct ReturnedPlace {
    pub id: Uuid,
    pub payment_id: PaymentId,
    pub reservation_id: ReservationId,
    pub item_id: ReservationItemId,
    /// What was paid for it.
    pub price: Points,
    /// What of it came back.
    pub payout: Points,
    /// Whether the house took it back; else another account bought it.
    pub to_house: bool,
    pub at: DateTime<Utc>,
}

/// Lists places that left an order.
pub(in crate::receipts) async fn list_places(
    tx: &mut Connection,
    returns: &[Uuid],
) -> Result<Vec<ReturnedPlace>, sqlx::Error> {
    sqlx::query_as!(
        ReturnedPlace,
        r#"
        select id, payment_id as "payment_id: PaymentId",
            reservation_id as "reservation_id: ReservationId",
            reservation_item_id as "item_id: ReservationItemId",
            price as "price: Points", payout as "payout: Points", to_house, settled_at as "at!"
        from ticket_returns where id = any($1) and status = 'SOLD'
        "#,
        returns,
    )
    .fetch_all(tx)
    .await
}
