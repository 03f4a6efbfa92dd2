//! Statements that change the status of reservations, and write the events about it.

use chrono::{DateTime, Utc};

use crate::{
    catalog::ScheduleSeatId,
    events::{EventId, EventKind},
    infra::postgres::Connection,
    reservation::{
        codes::model::SaleCodeId,
        error::ReservationError,
        model::{Held, ReservationId, ReservationStatus},
        row_counts::expect_all,
    },
};

/// Columns of holds to be marked as paid, and of their seats.
#[derive(Debug)]
pub struct Confirmation {
    pub ids: Vec<ReservationId>,
    pub versions: Vec<i64>,
    pub events: Vec<EventId>,
    /// Time of the decision.
    pub at: Option<DateTime<Utc>>,
    pub seats: Vec<ScheduleSeatId>,
}

/// Numbers of rows that a confirmation has written.
#[derive(Debug)]
pub struct WrittenConfirmation {
    pub n_reservations: i64,
    pub n_seats: i64,
}

impl Confirmation {
    /// Returns the columns of `holds`, which were locked together.
    pub fn of(holds: &[Held]) -> Self {
        Self {
            ids: holds.iter().map(|held| held.reservation_id).collect(),
            versions: holds.iter().map(|held| held.version).collect(),
            events: EventId::new_ids(holds.len()),
            at: holds.iter().map(|held| held.locked_at).max(),
            seats: holds.iter().flat_map(|held| held.seat_ids()).collect(),
        }
    }

    /// Fails unless all of it was written.
    pub fn require(&self, written: &WrittenConfirmation) -> Result<(), ReservationError> {
        expect_all(self.ids.len(), written.n_reservations, ReservationError::StaleVersion)?;
        expect_all(self.seats.len(), written.n_seats, ReservationError::Inconsistent)
    }
}

/// Marks locked holds as paid if they have the versions that were read, and their seats as sold. Also
/// writes the events, if a webhook endpoint asks for them.
pub async fn write_confirmed(
    tx: &mut Connection,
    confirmation: &Confirmation,
) -> Result<WrittenConfirmation, sqlx::Error> {
    let Confirmation { ids, versions, events, at, seats } = confirmation;
    sqlx::query_as!(
        WrittenConfirmation,
        r#"
        select n_reservations as "n_reservations!", n_seats as "n_seats!"
        from confirm_reservations($1, $2, $3, $4, $5)
        "#,
        ids as _,
        versions,
        events as _,
        *at,
        seats as _,
    )
    .fetch_one(tx)
    .await
}

/// Use of a code by a reservation, if it had one.
#[derive(Debug)]
pub struct EndedUse {
    code_id: Option<SaleCodeId>,
    /// Places of the reservation, except places on return.
    places: i32,
}

impl EndedUse {
    /// Returns the code and its places.
    pub(crate) fn of_code(&self) -> Option<(SaleCodeId, i32)> {
        Some((self.code_id?, self.places))
    }
}

/// Ends locked reservations now if their version is still the one in `versions`, which is parallel
/// to `ids`; returns the use of a code of each one written. Also writes the events, if a webhook
/// endpoint asks for them.
pub async fn write_ended(
    tx: &mut Connection,
    ids: &[ReservationId],
    versions: &[i64],
    to: ReservationStatus,
) -> Result<Vec<EndedUse>, sqlx::Error> {
    sqlx::query_as!(
        EndedUse,
        r#"
        with written as (
            update reservations r
            set status = $3, settled_at = clock_timestamp(), version = r.version + 1
            from unnest($1::uuid[], $2::bigint[], $4::uuid[]) as locked (id, version, event_id)
            where r.id = locked.id and r.version = locked.version
            returning r.id, r.sale_code_id, r.program_id, r.schedule_id, r.total, locked.event_id
        ), told as (
            -- Only while an endpoint asks for it, and never for a rehearsal.
            insert into domain_events (id, subject_id, kind, payload)
            select event_id, w.id, $5, jsonb_build_object(
                'reservation_id', w.id, 'program_id', program_id, 'schedule_id', schedule_id,
                'places', had.places, 'total', total - had.sold_on + discount_given_back(w.id))
            from written w
            cross join lateral (
                -- Resold places belong to their buyers, and do not become free.
                select sum(quantity - returned) as places,
                    coalesce(sum(returned * unit_price), 0) as sold_on
                from reservation_items where reservation_id = w.id offset 0
            ) had
            where exists (
                    select from webhook_endpoints
                    where deleted_at is null and kinds @> array[$5::text])
                and not is_throwaway(program_id)
        )
        select sale_code_id as "code_id: SaleCodeId",
            case when sale_code_id is null then 0 else (
                select coalesce(sum(quantity), 0) from reservation_items
                where reservation_id = written.id and return_id is null and not was_on_return
            )::integer end as "places!"
        from written
        "#,
        ids as _,
        versions,
        to as _,
        EventId::new_ids(ids.len()) as _,
        told_as(to).map(EventKind::name),
    )
    .fetch_all(tx)
    .await
}

/// Returns the event about an end as `to`; `None` for a status that is no end.
fn told_as(to: ReservationStatus) -> Option<EventKind> {
    match to {
        ReservationStatus::Held | ReservationStatus::Confirmed => None,
        ReservationStatus::Cancelled => Some(EventKind::ReservationReleased),
        ReservationStatus::Expired => Some(EventKind::ReservationExpired),
        ReservationStatus::Refunded => Some(EventKind::ReservationRefunded),
    }
}
