//! SQL of returns: locks and reads. `changes` has the writes.

pub(super) mod changes;
pub(super) mod overdue;

use std::collections::HashSet;

use super::model::{FreeReturn, OpenReturn, ReturnStatus};
use crate::{
    accounts::AccountId,
    catalog::{ScheduleId, ScheduleSeatId, ZoneId},
    infra::postgres::{Connection, Pool},
    reservation::model::{ReservationId, ReturnId},
};

/// Places on return that are read for the holds of one transaction: more than these can take.
const FREE_MAX: i64 = 1_000;

/// Lists the places of a locked zone that are on return and not held, the cheapest first.
pub(crate) async fn list_free_of_zone(
    tx: &mut Connection,
    zone_id: ZoneId,
) -> Result<Vec<FreeReturn>, sqlx::Error> {
    sqlx::query_as!(
        FreeReturn,
        r#"
        select t.id as "id: _", t.price as "price: _", t.seller_id as "seller_id: _"
        from ticket_returns t
        where t.zone_id = $1 and t.status = 'OPEN' and not exists (
            select from reservation_items
            where return_id = t.id and (live or awaits_return)
            offset 0
        )
        order by t.price, t.id
        limit $2
        "#,
        zone_id as _,
        FREE_MAX,
    )
    .fetch_all(tx)
    .await
}

/// Lists the reservations of the sellers and the holds of the buyers of returns.
pub(super) async fn list_involved(
    tx: &mut Connection,
    ids: &[ReturnId],
) -> Result<Vec<ReservationId>, sqlx::Error> {
    sqlx::query_scalar!(
        r#"
        select reservation_id as "id!: ReservationId" from ticket_returns where id = any($1)
        union
        select reservation_id from reservation_items where return_id = any($1) and awaits_return
        "#,
        ids as _,
    )
    .fetch_all(tx)
    .await
}

/// Lists a paid reservation and the holds of the buyers of its places on return.
pub(crate) async fn list_involved_of(
    tx: &mut Connection,
    reservation_id: ReservationId,
) -> Result<Vec<ReservationId>, sqlx::Error> {
    sqlx::query_scalar!(
        r#"
        select $1::uuid as "id!: ReservationId"
        union
        select i.reservation_id
        from (select id from ticket_returns where reservation_id = $1 and status = 'OPEN' offset 0) t
        cross join lateral (
            select reservation_id from reservation_items
            where return_id = t.id and awaits_return
            limit 1
        ) i
        "#,
        reservation_id as _,
    )
    .fetch_all(tx)
    .await
}

/// Lists a hold and the reservations of the sellers of its places.
pub async fn list_sellers(
    tx: &mut Connection,
    buyer: ReservationId,
) -> Result<Vec<ReservationId>, sqlx::Error> {
    sqlx::query_scalar!(
        r#"
        select $1::uuid as "id!: ReservationId"
        union
        select t.reservation_id
        from (
            select return_id from reservation_items where reservation_id = $1 and awaits_return offset 0
        ) i
        cross join lateral (
            select reservation_id from ticket_returns where id = i.return_id limit 1
        ) t
        "#,
        buyer as _,
    )
    .fetch_all(tx)
    .await
}

/// Locks seats, in the order of their ids.
pub(super) async fn lock_seats(
    tx: &mut Connection,
    ids: &[ScheduleSeatId],
) -> Result<(), sqlx::Error> {
    sqlx::query!(
        "select id from schedule_seats where id = any($1) order by id for no key update",
        ids as _,
    )
    .fetch_all(tx)
    .await?;
    Ok(())
}

/// Lists the seat or the zone of each return, and of each item of `reservations`.
pub(super) async fn list_places(
    tx: &mut Connection,
    ids: &[ReturnId],
    reservations: &[ReservationId],
) -> Result<Vec<(Option<ScheduleSeatId>, Option<ZoneId>)>, sqlx::Error> {
    let rows = sqlx::query!(
        r#"
        select schedule_seat_id as "schedule_seat_id: ScheduleSeatId", zone_id as "zone_id: ZoneId"
        from ticket_returns
        where id = any($1)
        union all
        select schedule_seat_id, zone_id
        from reservation_items
        where reservation_id = any($2) and (live or awaits_return)
        "#,
        ids as _,
        reservations as _,
    )
    .fetch_all(tx)
    .await?;
    Ok(rows.into_iter().map(|row| (row.schedule_seat_id, row.zone_id)).collect())
}

/// Lists the open returns among `ids`, after their seats and zones were locked.
pub(super) async fn list_open(
    tx: &mut Connection,
    ids: &[ReturnId],
) -> Result<Vec<OpenReturn>, sqlx::Error> {
    sqlx::query_as!(
        OpenReturn,
        r#"
        select t.id as "id: _", t.ticket_id, t.reservation_item_id as "item_id: _",
            t.schedule_id as "schedule_id: _", t.schedule_seat_id as "schedule_seat_id: _",
            t.zone_id as "zone_id: _", t.seller_id as "seller_id: _", t.payout as "payout: _",
            t.reservation_id as "reservation_id: _", d.starts_at, clock_timestamp() as "locked_at!",
            t.wanted_back_at is not null as "is_wanted_back!", r.id as "buyer?: _",
            r.expires_at as "held_until?",
            coalesce(r.expires_at <= clock_timestamp() and is_office_awake(), false) as "is_buyer_lapsed!"
        from ticket_returns t
        cross join lateral (select starts_at from schedules where id = t.schedule_id limit 1) d
        left join lateral (
            select reservation_id from reservation_items
            where return_id = t.id and awaits_return
            limit 1
        ) i on true
        left join lateral (
            select id, expires_at from reservations where id = i.reservation_id limit 1
        ) r on true
        where t.id = any($1) and t.status = 'OPEN'
        order by t.id
        "#,
        ids as _,
    )
    .fetch_all(tx)
    .await
}

/// Lists the open returns of a reservation.
pub(super) async fn list_open_of(
    tx: &mut Connection,
    reservation_id: ReservationId,
) -> Result<Vec<ReturnId>, sqlx::Error> {
    sqlx::query_scalar!(
        r#"
        select id as "id: ReturnId" from ticket_returns
        where reservation_id = $1 and status = 'OPEN'
        "#,
        reservation_id as _,
    )
    .fetch_all(tx)
    .await
}

/// Lists seats of a performance that are on return, held ones included.
pub(crate) async fn list_seats_on_return(
    db: &Pool,
    schedule_id: ScheduleId,
) -> Result<HashSet<ScheduleSeatId>, sqlx::Error> {
    let seats = sqlx::query_scalar!(
        r#"
        select id as "id: ScheduleSeatId" from schedule_seats
        where return_id is not null and schedule_id = $1
        limit $2
        "#,
        schedule_id as _,
        FREE_MAX,
    );
    Ok(seats.fetch_all(db).await?.into_iter().collect())
}

/// Whether a place of a performance is on return.
pub(crate) async fn is_any_on_return(
    db: &Pool,
    schedule_id: ScheduleId,
) -> Result<bool, sqlx::Error> {
    sqlx::query_scalar!(
        r#"
        select exists (
            select from schedule_seats where return_id is not null and schedule_id = $1
        ) or exists (
            select from zones where schedule_id = $1 and returned > 0
        ) as "is!"
        "#,
        schedule_id as _,
    )
    .fetch_one(db)
    .await
}

/// Lists the returns that the items of a hold await.
pub(super) async fn list_awaited(
    db: &Pool,
    buyer: ReservationId,
) -> Result<Vec<ReturnId>, sqlx::Error> {
    sqlx::query_scalar!(
        r#"
        select return_id as "id!: ReturnId" from reservation_items
        where reservation_id = $1 and awaits_return
        "#,
        buyer as _,
    )
    .fetch_all(db)
    .await
}

/// Lists the accounts of reservations.
pub(super) async fn list_owners(
    tx: &mut Connection,
    ids: &[ReservationId],
) -> Result<Vec<(ReservationId, AccountId)>, sqlx::Error> {
    let rows = sqlx::query!(
        r#"
        select id as "id: ReservationId", account_id as "account_id: AccountId"
        from reservations where id = any($1)
        "#,
        ids as _,
    )
    .fetch_all(tx)
    .await?;
    Ok(rows.into_iter().map(|row| (row.id, row.account_id)).collect())
}

/// Return to be ended by its seller.
pub(super) struct FoundReturn {
    pub(super) schedule_id: ScheduleId,
    pub(super) status: ReturnStatus,
}

/// Returns a return of `seller_id`; `None` if it does not exist.
pub(super) async fn find(
    tx: &mut Connection,
    seller_id: AccountId,
    id: ReturnId,
) -> Result<Option<FoundReturn>, sqlx::Error> {
    sqlx::query_as!(
        FoundReturn,
        r#"
        select schedule_id as "schedule_id: _", status as "status: _"
        from ticket_returns
        where id = $1 and seller_id = $2
        "#,
        id as _,
        seller_id as _,
    )
    .fetch_optional(tx)
    .await
}
