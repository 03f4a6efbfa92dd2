//! SQL of given time, and of the pulse of the office.

use std::time::Duration;

use chrono::{DateTime, TimeDelta, Utc};
use uuid::{Builder, Uuid};

use super::model::GivingCause;
use crate::{
    catalog::ProgramId,
    infra::{ids::new_id, postgres::Connection},
    reservation::model::ReservationId,
};

/// Pulse whose row is locked.
pub(super) struct Pulse {
    /// When the office was last seen at work: by a beat, or by the newest hold or admission, which an instance of an
    /// older version makes too.
    pub(super) seen_at: DateTime<Utc>,
    /// Time after the lock.
    pub(super) now: DateTime<Utc>,
}

/// Age of the oldest row that shows the office at work: what is older ends nothing that is live.
const SEEN_BY_ROWS: TimeDelta = TimeDelta::days(1);

/// Returns the first id that can be made at `moment`.
fn first_id_at(moment: DateTime<Utc>) -> Uuid {
    let ms = u64::try_from(moment.timestamp_millis()).unwrap_or_default();
    Builder::from_unix_timestamp_millis(ms, &[0; 10]).into_uuid()
}

/// Locks the pulse, which begins now if it never beat; `None` where another instance has it.
pub(super) async fn lock_pulse(
    tx: &mut Connection,
    now: DateTime<Utc>,
) -> Result<Option<Pulse>, sqlx::Error> {
    sqlx::query!(
        "insert into office_pulse (beat_at) values (clock_timestamp()) on conflict do nothing"
    )
    .execute(&mut *tx)
    .await?;
    sqlx::query_as!(
        Pulse,
        r#"
        select greatest(beat_at,
                (select created_at from reservations where id > $1 order by id desc limit 1),
                (select admitted_at from queue_tokens where id > $1 order by id desc limit 1)) as "seen_at!",
            clock_timestamp() as "now!"
        from office_pulse
        where is_only
        for no key update skip locked
        "#,
        first_id_at(now - SEEN_BY_ROWS),
    )
    .fetch_optional(tx)
    .await
}

/// Writes a beat of the locked pulse.
pub(super) async fn write_beat(tx: &mut Connection) -> Result<(), sqlx::Error> {
    sqlx::query!("update office_pulse set beat_at = clock_timestamp() where is_only")
        .execute(tx)
        .await?;
    Ok(())
}

/// Lists the programs with a stay or a hold that was live at `since`.
pub(super) async fn list_with_live(
    tx: &mut Connection,
    since: DateTime<Utc>,
) -> Result<Vec<ProgramId>, sqlx::Error> {
    sqlx::query_scalar!(
        r#"
        select n.program_id as "id!: ProgramId"
        from queue_numbers n
        where exists (
            select from queue_tokens t
            where t.program_id = n.program_id and t.status = 'ACTIVE' and t.expires_at > $1 offset 0)
        union
        select r.program_id
        from reservations r
        where r.status = 'HELD' and r.settled_at is null and r.expires_at > $1
        order by 1
        "#,
        since,
    )
    .fetch_all(tx)
    .await
}

/// Hold whose row is locked.
pub(crate) struct LockedHold {
    pub(super) id: ReservationId,
    pub(super) version: i64,
}

/// Locks the holds of a program that no worker has ended and that were live at `since`, or now, by id.
pub(super) async fn lock_holds(
    tx: &mut Connection,
    program_id: ProgramId,
    since: Option<DateTime<Utc>>,
) -> Result<Vec<LockedHold>, sqlx::Error> {
    sqlx::query_as!(
        LockedHold,
        r#"
        select id as "id: ReservationId", version
        from reservations
        where id = any(array(
                select id
                from (
                    select id, program_id from reservations
                    where status = 'HELD' and settled_at is null
                        and expires_at > coalesce($2, statement_timestamp())
                    offset 0
                ) held
                where program_id = $1))
            and status = 'HELD'
        order by id
        for no key update
        "#,
        program_id as _,
        since,
    )
    .fetch_all(tx)
    .await
}

/// Time that was given.
pub(super) struct GivenTime {
    pub(super) id: Uuid,
    /// Stays and holds that ended before are not revived.
    pub(super) live_at: DateTime<Utc>,
}

/// Inserts time that is given, once the stays and holds are locked.
pub(super) async fn insert(
    tx: &mut Connection,
    program_id: ProgramId,
    length: Duration,
    cause: GivingCause<'_>,
) -> Result<GivenTime, sqlx::Error> {
    let (name, live_at, reason) = match cause {
        GivingCause::Staff { reason } => ("STAFF", None, Some(reason)),
        GivingCause::Outage { since } => ("OUTAGE", Some(since), None),
    };
    sqlx::query_as!(
        GivenTime,
        r#"
        insert into given_times (id, program_id, cause, length, live_at, reason)
        values ($1, $2, $3, make_interval(secs => $4), coalesce($5, clock_timestamp()), $6)
        returning id, live_at
        "#,
        new_id(),
        program_id as _,
        name,
        length.as_secs_f64(),
        live_at,
        reason,
    )
    .fetch_one(tx)
    .await
}

/// Moves the ends of the locked holds that were live at `live_at`; returns how many.
pub(super) async fn write_holds(
    tx: &mut Connection,
    holds: &[LockedHold],
    length: Duration,
    live_at: DateTime<Utc>,
) -> Result<usize, sqlx::Error> {
    let (ids, versions): (Vec<_>, Vec<_>) =
        holds.iter().map(|hold| (hold.id, hold.version)).unzip();
    let written = sqlx::query!(
        r#"
        update reservations r
        set expires_at = expires_at + make_interval(secs => $3),
            given_time = given_time + make_interval(secs => $3), version = r.version + 1
        from unnest($1::uuid[], $2::bigint[]) as locked (id, version)
        where r.id = locked.id and r.version = locked.version and expires_at > $4
        "#,
        ids as _,
        &versions,
        length.as_secs_f64(),
        live_at,
    )
    .execute(tx)
    .await?;
    Ok(usize::try_from(written.rows_affected()).unwrap_or(usize::MAX))
}
