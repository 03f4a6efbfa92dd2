//! SQL of given time, and of the pulse of the office.

pub(super) mod stops;

use std::time::Duration;

use chrono::{DateTime, Utc};
use uuid::{Builder, Uuid};

use super::model::{GivingCause, Outage};
use crate::{
    catalog::ProgramId,
    infra::{
        ids::new_id,
        postgres::{Connection, Pool},
    },
    reservation::model::ReservationId,
};

/// Bound on the difference between the clock that an id is made of and the one of PostgreSQL.
const CLOCKS_DIFFER_MAX: Duration = Duration::from_secs(30);

/// Pulse whose row is locked.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pulse {
    pub(super) beat_at: DateTime<Utc>,
    /// Time after the lock.
    pub(super) now: DateTime<Utc>,
}

impl Pulse {
    /// Returns the time since the last beat.
    pub(super) fn silence(self) -> Duration {
        (self.now - self.beat_at).to_std().unwrap_or_default()
    }
}

/// Locks the pulse, which begins now if it never beat; `None` where another instance has it, and while the database stands
/// still because it went back: the office counts as away then.
pub(super) async fn lock_pulse(tx: &mut Connection) -> Result<Option<Pulse>, sqlx::Error> {
    sqlx::query!(
        "insert into office_pulse (beat_at) values (clock_timestamp()) on conflict do nothing"
    )
    .execute(&mut *tx)
    .await?;
    sqlx::query_as!(
        Pulse,
        r#"
        select beat_at, clock_timestamp() as "now!"
        from office_pulse
        where is_only and not exists (select from setbacks where ended_at is null)
        for no key update skip locked
        "#,
    )
    .fetch_optional(tx)
    .await
}

/// Writes a beat of the locked pulse. Its moment is the one that the silence was judged at: PostgreSQL can be away between
/// that and this statement.
pub(super) async fn write_beat(
    tx: &mut Connection,
    beat_at: DateTime<Utc>,
) -> Result<(), sqlx::Error> {
    sqlx::query!("update office_pulse set beat_at = $1, beats = beats + 1 where is_only", beat_at)
        .execute(tx)
        .await?;
    Ok(())
}

/// Returns whether the office is known not to have been away just now.
pub(super) async fn is_awake(db: &Pool) -> Result<bool, sqlx::Error> {
    sqlx::query_scalar!(r#"select is_office_awake() as "is_awake!""#).fetch_one(db).await
}

/// Returns the first id that can be made at `moment`.
fn first_id_at(moment: DateTime<Utc>) -> Uuid {
    let ms = u64::try_from(moment.timestamp_millis()).unwrap_or_default();
    Builder::from_unix_timestamp_millis(ms, &[0; 10]).into_uuid()
}

/// Returns when the last hold was made or the last account admitted in the time `within` after `since`, which an instance
/// without a beat does too; `None` if there was neither.
pub(super) async fn find_last_sign(
    db: &Pool,
    since: DateTime<Utc>,
    within: Duration,
) -> Result<Option<DateTime<Utc>>, sqlx::Error> {
    sqlx::query_scalar!(
        r#"
        select greatest(
            (select max(created_at) from reservations
             where id between $2 and $3 and created_at > $1 and created_at <= $1 + make_interval(secs => $4)),
            (
                select max(last.admitted_at)
                from queue_numbers n
                cross join lateral (
                    select admitted_at from queue_tokens
                    where program_id = n.program_id and admitted_at > $1
                        and admitted_at <= $1 + make_interval(secs => $4)
                    order by admitted_at desc
                    limit 1
                ) last
            ))
        "#,
        since,
        first_id_at(since - CLOCKS_DIFFER_MAX),
        first_id_at(since + within + CLOCKS_DIFFER_MAX),
        within.as_secs_f64(),
    )
    .fetch_one(db)
    .await
}

/// Returns when the first hold was made or the first account admitted after the beat at `since`, which an instance of a
/// version without a pulse does too; `None` if there was neither.
pub(super) async fn find_sign_of_life(
    db: &Pool,
    since: DateTime<Utc>,
) -> Result<Option<DateTime<Utc>>, sqlx::Error> {
    sqlx::query_scalar!(
        r#"
        select least(
            (select min(created_at) from (
                select created_at from reservations where id > $1 and created_at > $2
                order by id limit 100) first_made),
            (
                select min(first.admitted_at)
                from queue_numbers n
                cross join lateral (
                    select admitted_at from queue_tokens
                    where program_id = n.program_id and admitted_at > $2
                    order by admitted_at
                    limit 1
                ) first
            ))
        "#,
        first_id_at(since - CLOCKS_DIFFER_MAX),
        since,
    )
    .fetch_one(db)
    .await
}

/// Lists the programs with a stay or a hold that was live at `since`.
pub(super) async fn list_with_live(
    db: &Pool,
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
    .fetch_all(db)
    .await
}

/// Returns whether the outage since then was given back to a program.
pub(super) async fn is_given(
    tx: &mut Connection,
    program_id: ProgramId,
    since: DateTime<Utc>,
) -> Result<bool, sqlx::Error> {
    sqlx::query_scalar!(
        r#"
        select exists (
            select from given_times where program_id = $1 and live_at = $2 and cause = 'OUTAGE'
        ) as "is_given!"
        "#,
        program_id as _,
        since,
    )
    .fetch_one(tx)
    .await
}

/// Hold whose row is locked.
pub(crate) struct LockedHold {
    pub(super) id: ReservationId,
    pub(super) version: i64,
}

/// Locks the holds of a program that no worker has ended and that were live when the `outage` began, or now, by id. A hold
/// of a performance that has begun gets no time: a ticket of it is of no use.
pub(super) async fn lock_holds(
    tx: &mut Connection,
    program_id: ProgramId,
    outage: Option<Outage>,
) -> Result<Vec<LockedHold>, sqlx::Error> {
    sqlx::query_as!(
        LockedHold,
        r#"
        select id as "id: ReservationId", version
        from reservations
        where id = any(array(
                select id
                from (
                    select id, program_id, schedule_id from reservations
                    where status = 'HELD' and settled_at is null
                        and expires_at > coalesce($2, statement_timestamp())
                    offset 0
                ) held
                cross join lateral (select starts_at from schedules where id = held.schedule_id offset 0) shown
                where program_id = $1 and shown.starts_at > statement_timestamp()))
            and status = 'HELD'
        order by id
        for no key update
        "#,
        program_id as _,
        outage.map(|outage| outage.since),
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
    let (name, outage, reason) = match cause {
        GivingCause::Staff { reason } => ("STAFF", None, Some(reason)),
        GivingCause::Outage(outage) => ("OUTAGE", Some(outage), None),
    };
    sqlx::query_as!(
        GivenTime,
        r#"
        insert into given_times (id, program_id, cause, length, live_at, lost_until, reason)
        values ($1, $2, $3, make_interval(secs => $4), coalesce($5, clock_timestamp()), $6, $7)
        returning id, live_at
        "#,
        new_id(),
        program_id as _,
        name,
        length.as_secs_f64(),
        outage.map(|outage| outage.since),
        outage.map(|outage| outage.until),
        reason,
    )
    .fetch_one(tx)
    .await
}

/// Moves the ends of the locked holds that were live at the first moment and made before the second, if there is one;
/// returns how many.
pub(super) async fn write_holds(
    tx: &mut Connection,
    holds: &[LockedHold],
    length: Duration,
    (live_at, made_before): (DateTime<Utc>, Option<DateTime<Utc>>),
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
            and created_at < coalesce($5::timestamptz, 'infinity')
        "#,
        ids as _,
        &versions,
        length.as_secs_f64(),
        live_at,
        made_before,
    )
    .execute(tx)
    .await?;
    Ok(usize::try_from(written.rows_affected()).unwrap_or(usize::MAX))
}
