//! SQL of check-ins and of the performances with an open door.

use chrono::{DateTime, Utc};
use sqlx::PgExecutor;

use super::model::{CheckIn, DoorCount, Evening, Guest, GuestSearch};
use crate::{
    accounts::AccountId,
    catalog::{ScheduleId, SeatKind},
    events::EventId,
    infra::postgres::{Connection, Pool, page::PAGE_ROWS},
    reservation::{ReservationNumber, ReturnId},
    tickets::model::{TicketCode, TicketId, TicketStatus},
};

/// Bound on performances listed at once.
const PERFORMANCES_MAX: i64 = 200;

/// State that decides whether a ticket admits.
pub(crate) struct ScannedTicket {
    pub status: TicketStatus,
    pub used_at: Option<DateTime<Utc>>,
    pub schedule_id: ScheduleId,
    pub is_cancelled: bool,
    pub title: String,
    pub starts_at: DateTime<Utc>,
    pub time_zone: String,
    /// Whether a hand-over of the ticket is pending, even one past its end.
    pub is_offered: bool,
    /// Open return of the ticket.
    pub return_id: Option<ReturnId>,
    /// Whether its place was sold to another buyer.
    pub is_sold: bool,
    /// Time of the statement, by the database's clock.
    pub moment: DateTime<Utc>,
}

/// Returns the state of a locked ticket; must follow the statement that locked it.
pub(crate) async fn shown_ticket_of(
    tx: &mut Connection,
    ticket_id: TicketId,
) -> Result<ScannedTicket, sqlx::Error> {
    sqlx::query_as!(
        ScannedTicket,
        r#"
        select t.status as "status: TicketStatus", t.used_at,
               r.schedule_id as "schedule_id: ScheduleId",
               (p.status = 'CANCELLED' or d.cancelled_at is not null) as "is_cancelled!", p.title, d.starts_at, v.time_zone,
               exists (select from ticket_hand_overs
                       where ticket_id = t.id and status = 'PENDING' offset 0) as "is_offered!",
               (select id from ticket_returns
                where ticket_id = t.id and status = 'OPEN') as "return_id: ReturnId",
               exists (select from ticket_returns
                       where ticket_id = t.id and status = 'SOLD' and not to_house offset 0) as "is_sold!",
               clock_timestamp() as "moment!"
        from tickets t
        join reservation_items i on i.id = t.reservation_item_id
        join reservations r on r.id = i.reservation_id
        join programs p on p.id = r.program_id
        join schedules d on d.id = r.schedule_id
        join venues v on v.id = d.venue_id
        where t.id = $1
        "#,
        ticket_id as _,
    )
    .fetch_one(tx)
    .await
}

/// Returns the open return of the ticket with a code, read without a lock.
pub(crate) async fn find_open_return(
    tx: &mut Connection,
    code: &TicketCode,
) -> Result<Option<ReturnId>, sqlx::Error> {
    sqlx::query_scalar!(
        r#"
        select r.id as "id: ReturnId"
        from tickets t
        cross join lateral (
            select id from ticket_returns where ticket_id = t.id and status = 'OPEN' limit 1
        ) r
        where t.code = $1
        "#,
        code as _,
    )
    .fetch_optional(tx)
    .await
}

/// Marks a locked, valid ticket as used, and writes the event if a webhook endpoint asks for it.
pub async fn write_used(
    tx: &mut Connection,
    ticket_id: TicketId,
    by: AccountId,
) -> Result<(), sqlx::Error> {
    sqlx::query!(
        r#"
        with used as (
            update tickets set status = 'USED', used_at = clock_timestamp(), used_by = $2
            where id = $1 and status = 'VALID'
            returning id, reservation_item_id, used_at
        )
        insert into domain_events (id, subject_id, kind, payload)
        select $3::uuid, used.id, 'ticket.checked_in', jsonb_build_object(
            'ticket_id', used.id, 'reservation_id', r.id, 'program_id', r.program_id,
            'schedule_id', r.schedule_id, 'used_at', used.used_at)
        from used
        join reservation_items i on i.id = used.reservation_item_id
        join reservations r on r.id = i.reservation_id
        where exists (
                select from webhook_endpoints
                where deleted_at is null and kinds @> array['ticket.checked_in'])
            and not is_throwaway(r.program_id)
        "#,
        ticket_id as _,
        by as _,
        EventId::new() as _,
    )
    .execute(tx)
    .await?;
    Ok(())
}

/// Undoes the use of a locked ticket: valid again, or void if its reservation is not confirmed or
/// the account of its holder was deleted. Writes the event if a webhook endpoint asks for it. Returns the
/// ticket's new status; `None` if the ticket is not used.
pub(crate) async fn write_not_used(
    tx: &mut Connection,
    ticket_id: TicketId,
) -> Result<Option<TicketStatus>, sqlx::Error> {
    sqlx::query_scalar!(
        r#"
        with undone as (
            update tickets t
            set used_at = null, used_by = null,
                status = case when r.status = 'CONFIRMED' and (
                        select deleted_at from accounts where id = t.account_id) is null
                    then 'VALID' else 'VOID' end
            from reservation_items i
            join reservations r on r.id = i.reservation_id
            where t.id = $1 and t.status = 'USED' and i.id = t.reservation_item_id
            returning t.id, t.status, r.id as reservation_id, r.program_id, r.schedule_id
        ), told as (
            insert into domain_events (id, subject_id, kind, payload)
            select $2::uuid, id, 'ticket.check_in_undone', jsonb_build_object(
                'ticket_id', id, 'reservation_id', reservation_id, 'program_id', program_id,
                'schedule_id', schedule_id)
            from undone
            where exists (
                    select from webhook_endpoints
                    where deleted_at is null and kinds @> array['ticket.check_in_undone'])
                and not is_throwaway(program_id)
        )
        select status as "status: TicketStatus" from undone
        "#,
        ticket_id as _,
        EventId::new() as _,
    )
    .fetch_optional(tx)
    .await
}

/// Returns a used ticket of one performance; `is_fresh` holds for a minute.
pub(crate) async fn find_check_in(
    db: impl PgExecutor<'_>,
    schedule_id: ScheduleId,
    ticket_id: TicketId,
) -> Result<Option<CheckIn>, sqlx::Error> {
    sqlx::query_as!(
        CheckIn,
        r#"
        select t.id as "ticket_id: TicketId", t.used_at as "used_at!", a.name as holder,
               coalesce(s.section, z.name) as "section!", s.row_label as "row?",
               s.number as "number?", nullif(c.kind, 'STANDARD') as "kind: SeatKind", pt.name as "price_type?", nullif(pt.note, '') as price_type_note,
               t.used_at > clock_timestamp() - interval '1 minute' as "is_fresh!"
        from tickets t
        join accounts a on a.id = t.account_id
        join reservation_items i on i.id = t.reservation_item_id
        join reservations r on r.id = i.reservation_id
        left join schedule_seats c on c.id = i.schedule_seat_id
        left join seats s on s.id = c.seat_id
        left join zones z on z.id = i.zone_id
        left join lateral (
            select name, note from price_types where id = i.price_type_id offset 0
        ) pt on true
        where t.id = $2 and r.schedule_id = $1 and t.status = 'USED'
        "#,
        schedule_id as _,
        ticket_id as _,
    )
    .fetch_optional(db)
    .await
}

/// Lists the valid and used tickets of one performance whose holder's name contains the text, or
/// whose reservation has the number: one page and one row more, in the order of issue. The query
/// sorts after it has found all of them, because a plan in the order of tickets would read the
/// whole table.
pub(crate) async fn list_guests(
    tx: &mut Connection,
    schedule_id: ScheduleId,
    wanted: &GuestSearch,
) -> Result<Vec<Guest>, sqlx::Error> {
    let ids = wanted.number.map(ReservationNumber::ids);
    sqlx::query_as!(
        Guest,
        r#"
        with found as materialized (
            select t.id, a.name as holder, coalesce(s.section, z.name) as section, s.row_label,
                   s.number, nullif(c.kind, 'STANDARD') as kind, pt.name as price_type, t.status,
                   t.used_at
            from reservations r
            join reservation_items i on i.reservation_id = r.id
            join tickets t on t.reservation_item_id = i.id and t.status in ('VALID', 'USED')
            cross join lateral (select name from accounts where id = t.account_id offset 0) a
            left join schedule_seats c on c.id = i.schedule_seat_id and c.schedule_id = $1
            left join seats s on s.id = c.seat_id
            left join zones z on z.id = i.zone_id
            left join lateral (
                select name from price_types where id = i.price_type_id offset 0
            ) pt on true
            where r.schedule_id = $1 and r.status = 'CONFIRMED'
                and (strpos(lower(a.name), lower($2)) > 0 or r.id between $3 and $4)
        )
        select id as "ticket_id!: TicketId", holder as "holder!", section as "section!",
               row_label as "row?", number as "number?", kind as "kind?: SeatKind",
               price_type as "price_type?", status as "status!: TicketStatus", used_at
        from found
        where $5::uuid is null or id > $5
        order by id
        limit $6
        "#,
        schedule_id as _,
        &wanted.text,
        ids.as_ref().map(|ids| *ids.start()),
        ids.as_ref().map(|ids| *ids.end()),
        wanted.after as _,
        PAGE_ROWS + 1,
    )
    .fetch_all(tx)
    .await
}

/// Counts used, and valid or used, tickets of one performance by section and zone.
pub(crate) async fn count_by_section(
    db: &Pool,
    schedule_id: ScheduleId,
) -> Result<Vec<DoorCount>, sqlx::Error> {
    sqlx::query_as!(
        DoorCount,
        r#"
        select coalesce(s.section, z.name) as "section!",
               count(*) filter (where t.status = 'USED') as "inside!", count(*) as "expected!"
        from reservations r
        join reservation_items i on i.reservation_id = r.id
        join tickets t on t.reservation_item_id = i.id and t.status in ('VALID', 'USED')
        left join schedule_seats c on c.id = i.schedule_seat_id and c.schedule_id = $1
        left join seats s on s.id = c.seat_id
        left join zones z on z.id = i.zone_id
        where r.schedule_id = $1 and r.status = 'CONFIRMED'
        group by 1
        order by 1
        "#,
        schedule_id as _,
    )
    .fetch_all(db)
    .await
}

/// Lists published performances from twelve hours ago to three weeks ahead, soonest first; or
/// the one with `id`, at any time.
pub async fn list_evenings(
    db: &Pool,
    now: DateTime<Utc>,
    id: Option<ScheduleId>,
) -> Result<Vec<Evening>, sqlx::Error> {
    sqlx::query_as!(
        Evening,
        r#"
        select d.id as "schedule_id: ScheduleId", p.title, d.starts_at, v.name as venue_name,
               v.time_zone
        from schedules d
        join programs p on p.id = d.program_id and p.status = 'PUBLISHED'
        join venues v on v.id = d.venue_id
        where d.cancelled_at is null and case when $2::uuid is null
            then d.starts_at between $1::timestamptz - interval '12 hours'
                                 and $1::timestamptz + interval '21 days'
            else d.id = $2 end
        order by d.starts_at, p.title
        limit $3
        "#,
        now,
        id.map(|id| id.0),
        PERFORMANCES_MAX,
    )
    .fetch_all(db)
    .await
}
