//! SQL of the attendees of a performance.

use std::ops::RangeInclusive;

use chrono::{DateTime, Utc};
use schemars::JsonSchema;
use uuid::Uuid;

use crate::{
    accounts::AccountId,
    catalog::{ScheduleId, SeatKind},
    infra::postgres::Pool,
    reservation::{ReservationId, ReservationNumber},
    tickets::{TicketId, TicketStatus},
};

/// Ticket that admits or has admitted, with its holder.
#[derive(Clone, Debug, serde::Serialize, JsonSchema)]
pub struct Attendee {
    pub ticket_id: TicketId,
    /// Last characters of the code.
    pub code_end: String,
    pub status: TicketStatus,
    pub used_at: Option<DateTime<Utc>>,
    pub account_id: AccountId,
    pub name: String,
    pub email: String,
    /// Section or zone.
    pub section: String,
    /// Row; `None` for a zone.
    pub row: Option<String>,
    /// Number of the seat; `None` for a zone.
    pub number: Option<i32>,
    /// Kind of the seat; `None` for an ordinary one, and for a zone.
    pub kind: Option<SeatKind>,
    /// Name of the price type; `None` at the ordinary price.
    pub price_type: Option<String>,
    pub reservation_id: ReservationId,
}

impl Attendee {
    /// Returns the number of the reservation that people read out.
    pub(crate) fn reservation(&self) -> ReservationNumber {
        self.reservation_id.into()
    }
}

/// Search for attendees: any of it suffices.
#[derive(Clone, Debug, Default)]
pub struct Sought {
    /// Part of a name or an address, in lower case.
    pub text: String,
    /// Whole code, or its last characters.
    pub code: String,
    /// Ids of the reservations with a number.
    pub reservations: Option<RangeInclusive<Uuid>>,
}

/// Lists attendees in the order of their reservations, all or the ones that match `sought`: at most
/// `rows_max` after the ticket `after`.
pub async fn list(
    db: &Pool,
    schedule_id: ScheduleId,
    sought: Option<&Sought>,
    after: Option<Uuid>,
    rows_max: i64,
) -> Result<Vec<Attendee>, sqlx::Error> {
    let (first, last) = sought
        .and_then(|sought| sought.reservations.clone())
        .map(RangeInclusive::into_inner)
        .unzip();
    sqlx::query_as!(
        Attendee,
        r#"
        select t.id as "ticket_id: TicketId", right(t.code, 6) as "code_end!",
            t.status as "status: TicketStatus", t.used_at, t.account_id as "account_id: AccountId",
            a.name, a.email, coalesce(s.section, z.name) as "section!", s.row_label as "row?",
            s.number as "number?", nullif(s.kind, 'STANDARD') as "kind?: SeatKind",
            pt.name as "price_type?", r.id as "reservation_id: ReservationId"
        from (
            select id from reservations
            where schedule_id = $1 and status = 'CONFIRMED'
              and id >= coalesce((
                select reservation_id from reservation_items
                where id = (select reservation_item_id from tickets where id = $2)
              ), '00000000-0000-0000-0000-000000000000'::uuid)
            order by id offset 0
        ) r
        cross join lateral (
            select * from reservation_items where reservation_id = r.id offset 0
        ) i
        cross join lateral (
            select * from tickets
            where reservation_item_id = i.id and status in ('VALID', 'USED') offset 0
        ) t
        cross join lateral (select name, email from accounts where id = t.account_id offset 0) a
        left join lateral (
            select seats.section, seats.row_label, seats.number, c.kind
            from (select * from schedule_seats where id = i.schedule_seat_id offset 0) c
            cross join lateral (select * from seats where id = c.seat_id offset 0) seats
        ) s on true
        left join lateral (select name from zones where id = i.zone_id offset 0) z on true
        left join lateral (
            select name from price_types where id = i.price_type_id offset 0
        ) pt on true
        where (r.id, t.id) > (coalesce((
                select reservation_id from reservation_items
                where id = (select reservation_item_id from tickets where id = $2)
            ), '00000000-0000-0000-0000-000000000000'::uuid),
            coalesce($2, '00000000-0000-0000-0000-000000000000'::uuid))
          and ($3::text is null or position($3 in lower(a.name)) > 0
            or position($3 in lower(a.email)) > 0 or t.code = $4 or right(t.code, 6) = $4
            or r.id between $5 and $6)
        order by r.id, t.id
        limit $7
        "#,
        schedule_id as _,
        after,
        sought.map(|sought| sought.text.as_str()),
        sought.map(|sought| sought.code.as_str()),
        first,
        last,
        rows_max,
    )
    .fetch_all(db)
    .await
}
