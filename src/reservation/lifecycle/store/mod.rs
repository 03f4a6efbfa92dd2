//! SQL of reading, locking, confirming and ending reservations.

pub mod away;
pub mod exchanges;
pub mod expiry;
pub mod holds;
pub mod status;

use serde::Deserialize;
use sqlx::{PgExecutor, types::Json};

use crate::{
    accounts::AccountId,
    catalog::{ProgramId, ProgramStatus, ScheduleSeatId, ToldNote, ZoneId},
    infra::postgres::Connection,
    points::Points,
    reservation::{
        codes::model::CodeWord,
        inventory::model::LockedZone,
        model::{
            ExchangeId, Item, RefundSteps, Reservation, ReservationId, ReservationItemId,
            ReservationStatus, ReturnId, WishId,
        },
    },
    text::translated::Translated,
};

/// Returns the reservation if `account_id` owns it. A hold past its end is shown as expired.
pub async fn find_owned(
    db: impl PgExecutor<'_>,
    account_id: AccountId,
    id: ReservationId,
) -> Result<Option<Reservation>, sqlx::Error> {
    sqlx::query_as!(
        Reservation,
        r#"
        select r.id as "id: ReservationId",
            schedule_id as "schedule_id: _", program_id as "program_id: ProgramId",
            case when status = 'HELD' and expires_at <= clock_timestamp() then 'EXPIRED' else status end
                as "status!: ReservationStatus",
            total as "total: Points", discount as "discount: Points",
            (select word from sale_codes where id = sale_code_id) as "code: CodeWord",
            expires_at, renewed_at, wish_id as "wish_id: _",
            refund_steps(schedule_id, created_at, confirmed_at, refund_until, refund_percent, refund_steps,
                'infinity') as "refund_steps!: RefundSteps",
            settled_at, created_at, is_shared, buys_return, exchange_id as "exchange_id: ExchangeId",
            nullif(m.was_at, (select starts_at from schedules where id = r.schedule_id)) as "moved_from?", m.texts as "move_texts?: Json<Translated<String>>",
            (select coalesce(d.cancel_texts, p.cancel_texts) from schedules d join programs p on p.id = d.program_id
                where d.id = r.schedule_id) as "cancel_texts: Json<Translated<String>>",
            m.full_refund_until as "full_refund_until?",
            told_notes(r.schedule_id, r.created_at, zones_of(r.id), seats_of(r.id)) as "changes!: Json<Vec<ToldNote>>"
        from reservations r
        left join lateral (
            select was_at, texts, full_refund_until
            from told_start(r.schedule_id, r.created_at, seats_of(r.id), zones_of(r.id)) offset 0
        ) m on true
        where r.id = $1 and account_id = $2
        "#,
        id as _,
        account_id as _,
    )
    .fetch_optional(db)
    .await
}

/// Locks the row of a reservation and returns its version; `None` if `account_id` does not own it.
pub async fn lock_owned(
    tx: &mut Connection,
    account_id: AccountId,
    id: ReservationId,
) -> Result<Option<i64>, sqlx::Error> {
    sqlx::query_scalar!(
        "select version from reservations where id = $1 and account_id = $2 for no key update",
        id as _,
        account_id as _,
    )
    .fetch_optional(tx)
    .await
}

/// Row of a locked reservation, with its account and version, as a function of the database returns
/// it.
#[derive(Debug, Deserialize)]
pub struct OwnedRow {
    pub account_id: AccountId,
    pub version: i64,
    #[serde(flatten)]
    pub row: LockedRow,
}

/// Locked reservation joined with one of its items, at the time of the database's clock.
#[derive(Debug, Deserialize)]
#[expect(clippy::struct_excessive_bools, reason = "facts of a row, each asked for by itself")]
pub struct LockedRow {
    pub reservation_id: ReservationId,
    pub program_id: ProgramId,
    pub schedule_id: crate::catalog::ScheduleId,
    pub status: ReservationStatus,
    pub total: Points,
    pub discount: Points,
    pub expires_at: chrono::DateTime<chrono::Utc>,
    pub(crate) renewed_at: Option<chrono::DateTime<chrono::Utc>>,
    pub wish_id: Option<WishId>,
    pub locked_at: chrono::DateTime<chrono::Utc>,
    pub is_lapsed: bool,
    /// What was agreed that a refund gives back, after the moves of the performance. Not asked of a hold.
    #[serde(default)]
    pub refund_steps: RefundSteps,
    /// Until when everything is refunded, after a move that its owner was told of. Not asked of a hold.
    #[serde(default)]
    pub full_refund_until: Option<chrono::DateTime<chrono::Utc>>,
    /// Status of the program; cancelled also if only the performance was cancelled.
    pub(crate) program_status: ProgramStatus,
    pub is_shared: bool,
    pub buys_return: bool,
    pub exchange_id: Option<ExchangeId>,
    item_id: ReservationItemId,
    schedule_seat_id: Option<ScheduleSeatId>,
    zone_id: Option<ZoneId>,
    quantity: i32,
    unit_price: Points,
    return_id: Option<ReturnId>,
    was_on_return: bool,
    returned: i32,
}

impl LockedRow {
    /// Whether the program was cancelled, or the performance alone.
    pub(crate) fn is_cancelled(&self) -> bool {
        self.program_status == ProgramStatus::Cancelled
    }

    pub(crate) fn item(&self) -> Item {
        Item {
            id: self.item_id,
            schedule_seat_id: self.schedule_seat_id,
            zone_id: self.zone_id,
            quantity: self.quantity,
            unit_price: self.unit_price,
            return_id: self.return_id,
            was_on_return: self.was_on_return,
            returned: self.returned,
        }
    }
}

/// Reads reservations after their rows were locked, one row per item. The time must come from this
/// separate statement: in the locking statement the time would precede the wait.
pub(crate) async fn list_locked(
    tx: &mut Connection,
    ids: &[ReservationId],
) -> Result<Vec<LockedRow>, sqlx::Error> {
    sqlx::query_as!(
        LockedRow,
        r#"
        select r.id as "reservation_id: _", r.program_id as "program_id: _", r.schedule_id as "schedule_id: _",
            r.status as "status: _", r.total as "total: _", r.discount as "discount: _", r.expires_at, r.renewed_at,
            r.wish_id as "wish_id: _", c.now as "locked_at!", r.expires_at <= c.now as "is_lapsed!",
            -- Only for what is paid; the function is planned anew in each statement that calls it.
            case when r.status = 'CONFIRMED' then refund_steps(
                r.schedule_id, r.created_at, r.confirmed_at, r.refund_until, r.refund_percent, r.refund_steps,
                'infinity') else '[]' end as "refund_steps!: RefundSteps",
            m.full_refund_until as "full_refund_until?",
            case when d.cancelled_at is null then p.status else 'CANCELLED' end as "program_status!: _", r.is_shared, r.buys_return,
            r.exchange_id as "exchange_id: _", i.id as "item_id: _", i.schedule_seat_id as "schedule_seat_id: _",
            i.zone_id as "zone_id: _", i.quantity, i.unit_price as "unit_price: _",
            i.return_id as "return_id: _",
            (i.return_id is not null or i.was_on_return) as "was_on_return!", i.returned
        from reservations r
        cross join (select clock_timestamp() as now offset 0) c
        join programs p on p.id = r.program_id
        join schedules d on d.id = r.schedule_id
        join reservation_items i on i.reservation_id = r.id
        left join lateral (
            select full_refund_until from told_start(r.schedule_id, r.created_at, seats_of(r.id), zones_of(r.id))
            where r.status = 'CONFIRMED' offset 0
        ) m on true
        where r.id = any($1)
        order by r.id, i.schedule_seat_id, i.id
        "#,
        ids as _,
    )
    .fetch_all(tx)
    .await
}

/// Ended item and the seat or places to free.
pub(crate) struct EndedItem {
    pub schedule_seat_id: Option<ScheduleSeatId>,
    pub zone_id: Option<ZoneId>,
    pub quantity: i32,
    /// Number of its places of a zone that are on return again, because it awaited a return.
    pub returned: i32,
    /// Return that it awaited.
    pub return_id: Option<ReturnId>,
}

/// Marks the items of ended reservations as not live, and returns the seats and places that they
/// still had. Places that an item awaited are on return again.
pub(crate) async fn write_items_ended(
    tx: &mut Connection,
    ids: &[ReservationId],
) -> Result<Vec<EndedItem>, sqlx::Error> {
    sqlx::query_as!(
        EndedItem,
        r#"
        with ended as materialized (
            select id, awaits_return from reservation_items
            where reservation_id = any($1) and (live or awaits_return)
        )
        update reservation_items i set live = false, awaits_return = false
        from ended
        where i.id = ended.id
        returning i.schedule_seat_id as "schedule_seat_id: _", i.zone_id as "zone_id: _",
            i.quantity - i.returned as "quantity!",
            case when ended.awaits_return then 1 else 0 end as "returned!",
            case when ended.awaits_return then i.return_id end as "return_id: ReturnId"
        "#,
        ids as _,
    )
    .fetch_all(tx)
    .await
}

/// Frees the seats of ended items; returns the number written.
pub(crate) async fn write_seats_free(
    tx: &mut Connection,
    seat_ids: &[ScheduleSeatId],
) -> Result<u64, sqlx::Error> {
    let written = sqlx::query!(
        r#"
        with locked as materialized (
            select id from schedule_seats where id = any($1) order by id for no key update
        )
        update schedule_seats s
        set status = free_status(s.hidden_at), version = version + 1,
            changed_xid = pg_current_xact_id()
        from locked
        where s.id = locked.id and s.status in ('HELD', 'RESERVED')
        "#,
        seat_ids as _,
    )
    .execute(tx)
    .await?;
    Ok(written.rows_affected())
}

/// Adds places to the free ones of locked zones whose version has not changed; returns the number
/// of zones written. `quantities`, and `returned`, the number of these that are on return, are
/// parallel to `zone_ids`, where a zone may occur more than once. Negative numbers take places.
pub(crate) async fn write_places_returned(
    tx: &mut Connection,
    zones: &[LockedZone],
    zone_ids: &[ZoneId],
    quantities: &[i32],
    returned: &[i32],
) -> Result<u64, sqlx::Error> {
    let ids: Vec<_> = zones.iter().map(|zone| zone.id.0).collect();
    let versions: Vec<_> = zones.iter().map(|zone| zone.version).collect();
    let written = sqlx::query!(
        r#"
        with returned as (
            select zone_id, sum(quantity)::integer as quantity, sum(on_return)::integer as on_return
            from unnest($1::uuid[], $2::integer[], $5::integer[]) as r (zone_id, quantity, on_return)
            group by zone_id
        )
        update zones z
        set remaining = z.remaining + r.quantity, returned = z.returned + r.on_return,
            version = z.version + 1,
            changed_xid = pg_current_xact_id()
        from unnest($3::uuid[], $4::bigint[]) as locked (id, version)
        join returned r on r.zone_id = locked.id
        where z.id = locked.id and z.version = locked.version
        "#,
        zone_ids as _,
        quantities,
        &ids,
        &versions,
        returned,
    )
    .execute(tx)
    .await?;
    Ok(written.rows_affected())
}

/// Extends a locked hold whose version is still `version`; returns its new end, `None` if the
/// version has changed.
pub(crate) async fn write_renewal(
    tx: &mut Connection,
    id: ReservationId,
    version: i64,
    secs: i32,
) -> Result<Option<chrono::DateTime<chrono::Utc>>, sqlx::Error> {
    sqlx::query_scalar!(
        r#"
        update reservations
        set expires_at = expires_at + make_interval(secs => $3::integer),
            renewed_at = clock_timestamp(), version = version + 1
        where id = $1 and version = $2
        returning expires_at
        "#,
        id as _,
        version,
        secs,
    )
    .fetch_optional(tx)
    .await
}
