//! SQL of the accounts that a change of a performance concerns.

use chrono::{DateTime, Utc};
use schemars::JsonSchema;
use serde::Serialize;
use uuid::Uuid;

use crate::{
    accounts::AccountId,
    admin::cancellation::store::CancelledPart,
    catalog::{ProgramId, ScheduleId, ScheduleSeatId, SeatId, VenueId, ZoneId},
    infra::postgres::{Connection, Pool},
};

/// Accounts that a change concerns, counted; one account may be of several kinds.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
pub(crate) struct Concerned {
    /// Accounts that hold a ticket.
    pub(crate) holders: i64,
    /// Accounts that paid for a reservation.
    pub(crate) payers: i64,
    /// Accounts that hold places which are not paid yet.
    pub(crate) held: i64,
    /// Places on waiting lists.
    pub(crate) waiting: i64,
    /// Accounts in the line of the show or inside, or in the draw of its order. They get no mail: what is new is announced
    /// on the pages that they have open.
    pub(crate) in_line: i64,
}

impl Concerned {
    /// Whether a change would be told to any account.
    pub(crate) fn is_any(&self) -> bool {
        self.holders + self.payers + self.held + self.waiting + self.in_line > 0
    }
}

/// Performances whose change is asked about.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Whose<'a> {
    /// One performance.
    Schedule(ScheduleId),
    /// Performances of a program that are still to come.
    Program(ProgramId),
    /// Performances at a venue that are still to come.
    Venue(VenueId),
    /// Seats of a venue in its performances that are still to come: wishes and lines are for none of them.
    SeatsOf(VenueId, &'a [SeatId]),
}

/// Counts the accounts that a change of performances concerns.
pub(crate) async fn count(db: &Pool, whose: Whose<'_>) -> Result<Concerned, sqlx::Error> {
    let (schedule_id, program_id, venue_id): (Option<Uuid>, Option<Uuid>, Option<Uuid>) =
        match whose {
            Whose::Schedule(id) => (Some(id.0), None, None),
            Whose::Program(id) => (None, Some(id.0), None),
            Whose::Venue(id) | Whose::SeatsOf(id, _) => (None, None, Some(id.0)),
        };
    let seat_ids = match whose {
        Whose::SeatsOf(_, seat_ids) => Some(seat_ids),
        _ => None,
    };
    sqlx::query_file_as!(
        Concerned,
        "../../src/admin/schedules/telling/count_concerned.sql",
        schedule_id,
        program_id,
        venue_id,
        seat_ids as _,
    )
    .fetch_one(db)
    .await
}

/// Lists the performances among `locked` that are still to come and not cancelled.
pub(super) async fn list_coming(
    tx: &mut Connection,
    locked: &[ScheduleId],
) -> Result<Vec<ScheduleId>, sqlx::Error> {
    sqlx::query_scalar!(
        r#"
        select id as "id: ScheduleId" from schedules
        where id = any($1) and cancelled_at is null and starts_at > clock_timestamp()
        order by starts_at
        "#,
        locked as _,
    )
    .fetch_all(tx)
    .await
}

/// Account that a change concerns.
pub(super) struct ConcernedAccount {
    pub(super) id: AccountId,
    /// Whether it has a part in the performance: a ticket, a payment, a reservation or a hold. Otherwise it
    /// waits for places.
    pub(super) has_part: bool,
}

/// Locks a performance against new holds and wishes, having waited for the ones under way, and returns whether
/// its change, to begin at `starts_at` or when it does, can concern any account: false for a draft, where it is
/// cancelled, or both starts have passed.
pub(in crate::admin) async fn lock(
    tx: &mut Connection,
    id: ScheduleId,
    starts_at: Option<DateTime<Utc>>,
) -> Result<bool, sqlx::Error> {
    let is_live = sqlx::query_scalar!(
        r#"
        select d.cancelled_at is null and p.status = 'PUBLISHED'
            and greatest(d.starts_at, $2::timestamptz) > clock_timestamp() as "is_live!"
        from schedules d
        join programs p on p.id = d.program_id
        where d.id = $1
        for update of d
        "#,
        id as _,
        starts_at,
    );
    Ok(is_live.fetch_optional(tx).await?.unwrap_or_default())
}

/// Lists the accounts that the change of a locked performance, of one of its zones or of some of its seats concerns,
/// each once.
pub(super) async fn list(
    tx: &mut Connection,
    id: ScheduleId,
    (zone_id, seat_ids): (Option<ZoneId>, Option<&[ScheduleSeatId]>),
) -> Result<Vec<ConcernedAccount>, sqlx::Error> {
    sqlx::query_file_as!(
        ConcernedAccount,
        "../../src/admin/schedules/telling/list_concerned.sql",
        id as _,
        zone_id as _,
        seat_ids as _,
    )
    .fetch_all(tx)
    .await
}

/// Line of a show whose performances have changed.
pub(super) struct ToldLine {
    pub(super) program_id: ProgramId,
    /// Number of changed performances.
    pub(super) performances: i64,
    /// First of them.
    pub(super) schedule_id: ScheduleId,
    /// Start of the first of them.
    pub(super) starts_at: DateTime<Utc>,
    /// Zone of its venue.
    pub(super) time_zone: String,
}

/// Lists the published shows of performances that accounts wait for or are inside of, or whose draw they have entered.
pub(super) async fn list_lines(
    tx: &mut Connection,
    ids: &[ScheduleId],
) -> Result<Vec<ToldLine>, sqlx::Error> {
    sqlx::query_as!(
        ToldLine,
        r#"
        select p.id as "program_id: ProgramId", changed.performances as "performances!",
            changed.schedule_id as "schedule_id!: ScheduleId",
            changed.starts_at as "starts_at!", changed.time_zone as "time_zone!"
        from (
            select d.program_id, count(*) as performances, min(d.starts_at) as starts_at,
                (array_agg(d.id order by d.starts_at))[1] as schedule_id,
                (array_agg(v.time_zone order by d.starts_at))[1] as time_zone
            from schedules d join venues v on v.id = d.venue_id
            where d.id = any($1)
            group by d.program_id
        ) changed
        join programs p on p.id = changed.program_id and p.status = 'PUBLISHED'
        where exists (
                select from queue_tokens
                where program_id = p.id and status in ('WAITING', 'ACTIVE') offset 0)
            or exists (select from queue_draw_entries where program_id = p.id offset 0)
        order by p.id
        "#,
        ids as _,
    )
    .fetch_all(tx)
    .await
}

/// Locks the performances that end, against new holds and wishes, having waited for the ones under way.
pub(super) async fn lock_ended(
    tx: &mut Connection,
    of: CancelledPart,
) -> Result<Vec<Uuid>, sqlx::Error> {
    sqlx::query_scalar!(
        r#"
        select id from schedules
        where program_id = $1 and (id = $2 or $2::uuid is null and cancelled_at is null)
        order by id
        for update
        "#,
        of.program_id as _,
        of.schedule_id as _,
    )
    .fetch_all(tx)
    .await
}

/// Account whose unpaid places or wishes end.
pub(super) struct UnpaidAccount {
    pub(super) id: AccountId,
    /// Whether it holds places; otherwise it waits for some.
    pub(super) holds: bool,
}

/// Lists the accounts that hold unpaid places of performances, or wait for some, each once.
pub(super) async fn list_unpaid(
    tx: &mut Connection,
    ended: &[Uuid],
) -> Result<Vec<UnpaidAccount>, sqlx::Error> {
    sqlx::query_as!(
        UnpaidAccount,
        r#"
        select account_id as "id!: AccountId", bool_or(holds) as "holds!"
        from (
            select account_id, true as holds from reservations
            where schedule_id = any($1) and status = 'HELD' and settled_at is null
                and expires_at > statement_timestamp()
            union all
            select w.account_id, false
            from unnest($1::uuid[]) ended (id)
            cross join lateral (
                select account_id from wishes
                where schedule_id = ended.id and status = 'WAITING' and settled_at is null
                offset 0
            ) w
        ) unpaid
        where account_id is not null
        group by account_id
        "#,
        ended,
    )
    .fetch_all(tx)
    .await
}

/// Lists the accounts whose wish of a performance is for places anywhere, or in a section with seats of one of the
/// price categories, or one of the sections whose seats have none.
pub(super) async fn list_waiting_for(
    tx: &mut Connection,
    id: ScheduleId,
    categories: &[String],
    sections: &[String],
) -> Result<Vec<AccountId>, sqlx::Error> {
    sqlx::query_scalar!(
        r#"
        with repriced as materialized (
            select distinct s.section
            from schedules d
            join seats s on s.venue_id = d.venue_id
            where d.id = $1 and (s.price_category = any($2)
                or s.price_category is null and s.section = any($3))
        )
        select account_id as "id!: AccountId" from wishes
        where schedule_id = $1 and status = 'WAITING' and settled_at is null and account_id is not null
            and (section is null or zone_id is null and section in (select section from repriced))
        "#,
        id as _,
        categories,
        sections,
    )
    .fetch_all(tx)
    .await
}

/// Lists the accounts whose wish of a performance is for places anywhere, or in a zone.
pub(super) async fn list_waiting_for_zone(
    tx: &mut Connection,
    id: ScheduleId,
    zone_id: ZoneId,
) -> Result<Vec<AccountId>, sqlx::Error> {
    sqlx::query_scalar!(
        r#"
        select account_id as "id!: AccountId" from wishes
        where schedule_id = $1 and status = 'WAITING' and settled_at is null and account_id is not null
            and (section is null or zone_id = $2)
        "#,
        id as _,
        zone_id as _,
    )
    .fetch_all(tx)
    .await
}

/// Lists the accounts whose wish of a performance is for places in the section or zone of this name.
pub(super) async fn list_waiting_in(
    tx: &mut Connection,
    id: ScheduleId,
    section: &str,
) -> Result<Vec<AccountId>, sqlx::Error> {
    sqlx::query_scalar!(
        r#"
        select account_id as "id!: AccountId" from wishes
        where schedule_id = $1 and status = 'WAITING' and settled_at is null and account_id is not null
            and (section = $2 and zone_id is null
                or zone_id = (select id from zones where schedule_id = $1 and name = $2))
        "#,
        id as _,
        section,
    )
    .fetch_all(tx)
    .await
}

/// Returns the program of a performance and its slug; `None` unless it is published.
pub(super) async fn find_published(
    tx: &mut Connection,
    id: ScheduleId,
) -> Result<Option<(ProgramId, String)>, sqlx::Error> {
    let row = sqlx::query!(
        r#"
        select p.id as "id: ProgramId", p.slug
        from schedules d
        join programs p on p.id = d.program_id
        where d.id = $1 and p.status = 'PUBLISHED'
        "#,
        id as _,
    )
    .fetch_optional(tx)
    .await?;
    Ok(row.map(|row| (row.id, row.slug)))
}
