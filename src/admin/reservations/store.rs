//! SQL of all accounts' reservations.

use std::ops::RangeInclusive;

use chrono::{DateTime, Utc};
use schemars::JsonSchema;
use uuid::Uuid;

use super::sought_seat::SoughtSeat;
use crate::{
    accounts::AccountId,
    catalog::ProgramId,
    infra::postgres::{Pool, page::PAGE_ROWS},
    points::Points,
    reservation::{RefundSteps, ReservationId, ReservationNumber, ReservationStatus},
    tickets::TicketCode,
};

/// Reservation as the admin pages list it.
#[derive(Clone, Debug, serde::Serialize, JsonSchema)]
pub struct Booking {
    pub id: ReservationId,
    pub account_id: AccountId,
    pub email: String,
    pub title: String,
    pub starts_at: DateTime<Utc>,
    #[serde(skip)]
    pub time_zone: String,
    pub status: ReservationStatus,
    pub total: Points,
    pub discount: Points,
    /// Word of its code; `None` without one.
    pub code: Option<String>,
    /// Deadline of the step of the refund terms that holds now, or else of the last one.
    pub refund_until: DateTime<Utc>,
    /// Percentage that comes back until then, less the fee of that step.
    pub refund_percent: i32,
    /// Terms that were agreed, after the moves of the performance, from early to late.
    pub refund_steps: RefundSteps,
    /// Until when everything is refunded because the performance has moved.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub full_refund_until: Option<DateTime<Utc>>,
    pub created_at: DateTime<Utc>,
}

impl Booking {
    /// Returns the reservation with the line of its terms at `now`.
    fn with_line(self, now: DateTime<Utc>) -> Self {
        let (refund_until, refund_percent) = self.refund_steps.line(now, self.created_at);
        Self { refund_until, refund_percent, ..self }
    }

    /// Returns the number that people read out.
    pub(crate) fn number(&self) -> ReservationNumber {
        self.id.into()
    }
}

/// Lists reservations as they are at `now`, all or only the ones that belong to `accounts`, have one of
/// `ids` or are among `placed`: the page after `after`, newest first, and one more if there is one.
pub async fn list(
    db: &Pool,
    accounts: Option<&[Uuid]>,
    (ids, placed): (Option<RangeInclusive<Uuid>>, &[Uuid]),
    after: Option<Uuid>,
    now: DateTime<Utc>,
) -> Result<Vec<Booking>, sqlx::Error> {
    let (first, last) = ids.map(RangeInclusive::into_inner).unzip();
    let bookings = sqlx::query_as!(
        Booking,
        r#"
        with found as (
            (select id from reservations
             where $1::uuid[] is null and id < $3 order by id desc limit $4)
            union
            select theirs.id from unnest($1) as whose (id)
            cross join lateral (
                select id from reservations
                where account_id = whose.id and id < $3 order by id desc limit $4
            ) theirs
            union
            (select id from reservations
             where id between $2 and $5 and id < $3 order by id desc limit $4)
            union
            (select id from reservations where id = any($6) and id < $3 order by id desc limit $4)
        )
        select r.id as "id: ReservationId", r.account_id as "account_id: AccountId", a.email,
            p.title, d.starts_at, v.time_zone,
            case when r.status = 'HELD' and r.expires_at <= clock_timestamp() then 'EXPIRED'
                 else r.status end as "status!: ReservationStatus",
            r.total as "total: Points", r.discount as "discount: Points",
            (select word from sale_codes where id = r.sale_code_id) as code, refund_steps(r.schedule_id, r.created_at, r.confirmed_at, r.refund_until, r.refund_percent, r.refund_steps,
                'infinity') as "refund_steps!: RefundSteps", r.refund_until, r.refund_percent, r.created_at,
            (select full_refund_until
             from told_start(r.schedule_id, r.created_at, seats_of(r.id), zones_of(r.id))) as full_refund_until
        from (select id from found order by id desc limit $4) page
        join reservations r on r.id = page.id
        join accounts a on a.id = r.account_id
        join schedules d on d.id = r.schedule_id
        join programs p on p.id = d.program_id
        join venues v on v.id = d.venue_id
        order by r.id desc
        "#,
        accounts,
        first,
        after.unwrap_or(Uuid::max()),
        PAGE_ROWS + 1,
        last,
        placed,
    );
    let bookings = bookings.fetch_all(db).await?;
    Ok(bookings.into_iter().map(|booking| booking.with_line(now)).collect())
}

/// Returns the reservation of the ticket with this code, which it has or had before a hand-over.
pub(super) async fn find_by_code(
    db: &Pool,
    code: &TicketCode,
) -> Result<Option<Uuid>, sqlx::Error> {
    sqlx::query_scalar!(
        r#"
        select i.reservation_id
        from (
            select reservation_item_id from tickets where code = $1
            union all
            select t.reservation_item_id
            from ticket_holder_changes c
            join tickets t on t.id = c.ticket_id
            where c.code_hash = sha256(convert_to($1, 'UTF8'))
        ) t
        join reservation_items i on i.id = t.reservation_item_id
        limit 1
        "#,
        code.as_str(),
    )
    .fetch_optional(db)
    .await
}

/// Lists the reservations that have such a seat now, of any program or of one, the newest first.
pub(super) async fn list_at_seat(
    db: &Pool,
    seat: &SoughtSeat,
    program_id: Option<ProgramId>,
    rows_max: i64,
) -> Result<Vec<Uuid>, sqlx::Error> {
    sqlx::query_scalar!(
        r#"
        with recursive named (venue_id, section) as (
            select id, (select min(section) from seats where venue_id = venues.id) from venues
            union all
            select venue_id, (
                select min(section) from seats where venue_id = named.venue_id and section > named.section)
            from named
            where section is not null
        )
        select i.reservation_id
        from (select venue_id, section from named where $1 in ('', lower(section)) offset 0) n
        cross join (select distinct unnest($2::text[])) as asked (row_label)
        cross join lateral (
            select id from seats
            where venue_id = n.venue_id and section = n.section and row_label = asked.row_label
                and number = $3
            offset 0
        ) s
        cross join lateral (
            select id, schedule_id from schedule_seats where seat_id = s.id offset 0
        ) c
        cross join lateral (
            select from schedules where id = c.schedule_id and ($5::uuid is null or program_id = $5) offset 0
        ) d
        cross join lateral (
            select reservation_id from reservation_items
            where live and schedule_seat_id = c.id
            offset 0
        ) i
        order by 1 desc
        limit $4
        "#,
        seat.section.to_lowercase(),
        &seat.rows,
        seat.number,
        rows_max,
        program_id as _,
    )
    .fetch_all(db)
    .await
}

/// Seat or zone of a reservation, with its tickets by status.
#[derive(Clone, Debug, serde::Serialize, JsonSchema)]
pub struct BookedItem {
    pub name: String,
    pub quantity: i32,
    pub price: Points,
    /// Name of the price type; `None` at the ordinary price.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub price_type: Option<String>,
    pub valid: i64,
    pub used: i64,
    pub void: i64,
}

/// Lists the items of a reservation.
pub async fn list_items(db: &Pool, id: ReservationId) -> Result<Vec<BookedItem>, sqlx::Error> {
    sqlx::query_as!(
        BookedItem,
        r#"
        select coalesce(s.section || ' ' || s.row_label || '-' || s.number, z.name) as "name!",
            i.quantity, i.unit_price as "price: Points", pt.name as "price_type?",
            count(*) filter (where t.status = 'VALID') as "valid!",
            count(*) filter (where t.status = 'USED') as "used!",
            count(*) filter (where t.status = 'VOID') as "void!"
        from reservation_items i
        left join schedule_seats c on c.id = i.schedule_seat_id
        left join seats s on s.id = c.seat_id
        left join zones z on z.id = i.zone_id
        left join lateral (
            select name, note from price_types where id = i.price_type_id offset 0
        ) pt on true
        left join tickets t on t.reservation_item_id = i.id
        where i.reservation_id = $1
        group by i.id, s.id, z.id, pt.name
        order by i.id
        "#,
        id as _,
    )
    .fetch_all(db)
    .await
}

/// Returns the program of a reservation; `None` if there is no such reservation.
pub(crate) async fn program_of(
    db: &Pool,
    id: ReservationId,
) -> Result<Option<ProgramId>, sqlx::Error> {
    sqlx::query_scalar!(
        r#"select program_id as "program_id: ProgramId" from reservations where id = $1"#,
        id as _,
    )
    .fetch_optional(db)
    .await
}
