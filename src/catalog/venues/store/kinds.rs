//! SQL that gives performances the kinds of a new plan.

use crate::{
    catalog::model::{ScheduleSeatId, SeatId},
    infra::postgres::Connection,
};

/// Seat of a performance, with its name, whose row this transaction has locked.
pub(crate) struct PerformedSeat {
    pub id: ScheduleSeatId,
    pub name: String,
    /// Whether it is held or sold, on return or not.
    pub is_taken: bool,
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
