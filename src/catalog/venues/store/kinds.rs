//! SQL that gives performances the kinds of a new plan.

use super::columns;
use crate::{
    catalog::{
        model::{ScheduleSeatId, SeatId, VenueId},
        venues::plan::SeatPlan,
    },
    infra::postgres::Connection,
};

/// Lists the seats of the venue of which `plan` says another kind, or another wheelchair place.
pub(crate) async fn list_of_other_kind(
    tx: &mut Connection,
    venue_id: VenueId,
    plan: &SeatPlan,
) -> Result<Vec<SeatId>, sqlx::Error> {
    let (sections, rows, numbers) = columns::names(plan);
    let (kinds, companions_of) = columns::kinds(plan);
    sqlx::query_scalar!(
        r#"
        select s.id as "id: SeatId"
        from seats s
        join unnest($2::text[], $3::text[], $4::integer[], $5::text[], $6::integer[])
            as p (section, row_label, number, kind, companion_of)
            on p.section = s.section and p.row_label = s.row_label and p.number = s.number
        where s.venue_id = $1
          and (s.kind, s.companion_of) is distinct from (p.kind, p.companion_of)
        "#,
        venue_id as _,
        &sections,
        &rows,
        &numbers,
        &kinds as _,
        &companions_of as _,
    )
    .fetch_all(tx)
    .await
}

/// Seat of a performance, with its name, whose row this transaction has locked.
pub(crate) struct PerformedSeat {
    pub(crate) id: ScheduleSeatId,
    pub(crate) name: String,
    /// Whether it is held or sold, on return or not.
    pub(crate) is_taken: bool,
}

/// Locks `seat_ids` in all performances that are not over, by id as holds do; at most `rows_max`.
pub(crate) async fn lock_performed(
    tx: &mut Connection,
    seat_ids: &[SeatId],
    rows_max: i64,
) -> Result<Vec<PerformedSeat>, sqlx::Error> {
    sqlx::query_as!(
        PerformedSeat,
        r#"
        select c.id as "id: _", s.section || ' ' || s.row_label || '-' || s.number as "name!",
            seat_is_taken(c.status, c.return_id) as "is_taken!"
        from schedule_seats c
        join seats s on s.id = c.seat_id
        where c.id = any(array(
            select performed.id
            from schedule_seats performed join schedules d on d.id = performed.schedule_id
            where performed.seat_id = any($1) and d.starts_at > clock_timestamp()
            limit $2
        ))
        order by c.id
        for no key update of c
        "#,
        seat_ids as _,
        rows_max,
    )
    .fetch_all(tx)
    .await
}

/// Gives the seats that [`lock_performed`] locked the kinds of their plan.
pub(crate) async fn write_performed(
    tx: &mut Connection,
    ids: &[ScheduleSeatId],
) -> Result<(), sqlx::Error> {
    sqlx::query!(
        r#"
        with locked as materialized (
            select id from schedule_seats where id = any($1) order by id for no key update
        )
        update schedule_seats c
        set kind = s.kind, wheelchair_seat_id = w.id, version = c.version + 1,
            changed_xid = pg_current_xact_id()
        from locked, seats s
        left join seats w on w.venue_id = s.venue_id and w.section = s.section
            and w.row_label = s.row_label and w.number = s.companion_of
        where c.id = locked.id and s.id = c.seat_id
        "#,
        ids as _,
    )
    .execute(tx)
    .await?;
    Ok(())
}
