//! SQL of witnesses' confirmations.

use sqlx::PgExecutor;

use super::model::{WitnessFault, WitnessedLog};
use crate::{
    catalog::ProgramId,
    entry_queue::log::store::{LogId, LogKind},
    infra::postgres::Pool,
};

/// Pause after a witness was asked about a log, in seconds: the time of a conversation.
const PAUSE_SECS: f64 = 4.0;
/// Pause after it did not cosign, in seconds.
const FAULT_PAUSE_SECS: f64 = 15.0;
/// Pause after which a witness is asked about a log that has not grown, in seconds: its cosignature
/// stays fresh, and a database that was restored from a backup is noticed before the next join.
const REST_SECS: f64 = 3600.0;

/// Returns logs about which a witness is due to be asked, the least recently asked first: a log with
/// unconfirmed entries, one after a fault, and one that has not grown each have their own pause. Logs
/// of rehearsals are never returned.
pub(super) async fn list_due(
    db: &Pool,
    witness: &str,
    n_max: i64,
) -> Result<Vec<LogId>, sqlx::Error> {
    sqlx::query_as!(
        LogId,
        r#"
        select p.id as "program_id: ProgramId", l.kind as "kind!: LogKind"
        from programs p
        cross join lateral (
            select kind, size from queue_logs
            where program_id = p.id and kind in ('JOINS', 'MOVES') and size > 0
            limit 2
        ) l
        left join lateral (
            select size, fault, asked_at from queue_log_witnesses
            where program_id = p.id and kind = l.kind and witness = $1
            limit 1
        ) w on true
        where not is_throwaway(p.id)
            and (w.asked_at is null or w.asked_at < clock_timestamp() - make_interval(secs => case
                when w.fault is not null then $3::float8
                when w.size < l.size then $2::float8
                else $4::float8
            end))
        order by w.asked_at nulls first
        limit $5
        "#,
        witness,
        PAUSE_SECS,
        FAULT_PAUSE_SECS,
        REST_SECS,
        n_max,
    )
    .fetch_all(db)
    .await
}

/// Records that a witness is asked about a log from now on, and returns its newest confirmation;
/// `None` if another instance asks it.
pub(super) async fn claim(
    db: &Pool,
    log: LogId,
    witness: &str,
) -> Result<Option<WitnessedLog>, sqlx::Error> {
    sqlx::query_as!(
        WitnessedLog,
        r#"
        insert into queue_log_witnesses as w (program_id, kind, witness) values ($1, $2, $3)
        on conflict (program_id, kind, witness) do update set asked_at = clock_timestamp()
        where w.asked_at < clock_timestamp() - make_interval(secs => $4)
        returning witness, size, checkpoint, cosignature, cosigned_at,
            fault as "fault: WitnessFault", failing_since
        "#,
        log.program_id as _,
        log.kind as _,
        witness,
        PAUSE_SECS,
    )
    .fetch_optional(db)
    .await
}

/// Stores a confirmation of a witness, unless more was confirmed meanwhile.
pub(super) async fn write_cosignature(
    db: &Pool,
    log: LogId,
    made: &WitnessedLog,
) -> Result<(), sqlx::Error> {
    sqlx::query!(
        r#"
        update queue_log_witnesses
        set size = $4, checkpoint = $5, cosignature = $6, cosigned_at = $7,
            fault = null, failing_since = null
        where program_id = $1 and kind = $2 and witness = $3 and size <= $4
        "#,
        log.program_id as _,
        log.kind as _,
        made.witness,
        made.size,
        made.checkpoint,
        made.cosignature,
        made.cosigned_at,
    )
    .execute(db)
    .await?;
    Ok(())
}

/// Keeps why a witness did not confirm, with the beginning of that.
pub(super) async fn write_fault(
    db: &Pool,
    log: LogId,
    witness: &str,
    fault: WitnessFault,
) -> Result<(), sqlx::Error> {
    sqlx::query!(
        r#"
        update queue_log_witnesses
        set fault = $4, failing_since = coalesce(failing_since, clock_timestamp())
        where program_id = $1 and kind = $2 and witness = $3
        "#,
        log.program_id as _,
        log.kind as _,
        witness,
        fault as _,
    )
    .execute(db)
    .await?;
    Ok(())
}

/// Returns the newest confirmation of a log by each of `witnesses`; witnesses that were never asked
/// are left out.
pub(crate) async fn list_witnessed(
    db: impl PgExecutor<'_>,
    log: LogId,
    witnesses: &[String],
) -> Result<Vec<WitnessedLog>, sqlx::Error> {
    sqlx::query_as!(
        WitnessedLog,
        r#"
        select witness, size, checkpoint, cosignature, cosigned_at,
            fault as "fault: WitnessFault", failing_since
        from queue_log_witnesses
        where program_id = $1 and kind = $2 and witness = any($3)
        order by witness
        "#,
        log.program_id as _,
        log.kind as _,
        witnesses,
    )
    .fetch_all(db)
    .await
}

/// Returns the newest confirmation of a log by every witness, also by one that is not asked any more.
pub(crate) async fn list_all_witnessed(
    db: impl PgExecutor<'_>,
    log: LogId,
) -> Result<Vec<WitnessedLog>, sqlx::Error> {
    sqlx::query_as!(
        WitnessedLog,
        r#"
        select witness, size, checkpoint, cosignature, cosigned_at,
            fault as "fault: WitnessFault", failing_since
        from queue_log_witnesses
        where program_id = $1 and kind = $2
        "#,
        log.program_id as _,
        log.kind as _,
    )
    .fetch_all(db)
    .await
}

/// Confirmations of one witness over all logs.
#[derive(Clone, Copy, Debug)]
pub struct WitnessedSum {
    /// Entries that it confirmed.
    pub cosigned: i64,
    /// Entries that it did not confirm yet.
    pub waiting: i64,
    /// Logs for which it did not cosign when it was asked last.
    pub failing: i64,
    /// Failing logs whose history it refused as forked, or as shorter than what it has.
    pub refused: i64,
    /// Since when the first of these fails, in seconds; 0 if none does.
    pub failing_secs: f64,
}

/// Sums up the confirmations of a witness over all logs of real programs.
pub async fn sum_witnessed(db: &Pool, witness: &str) -> Result<WitnessedSum, sqlx::Error> {
    sqlx::query_as!(
        WitnessedSum,
        r#"
        select coalesce(sum(least(w.size, l.size)), 0)::bigint as "cosigned!",
            coalesce(sum(greatest(l.size - coalesce(w.size, 0), 0)), 0)::bigint as "waiting!",
            count(w.fault) as "failing!",
            count(*) filter (where w.fault in ('AHEAD', 'FORKED')) as "refused!",
            coalesce(extract(epoch from clock_timestamp() - min(w.failing_since)), 0)::float8
                as "failing_secs!"
        from programs p
        cross join lateral (
            select kind, size from queue_logs
            where program_id = p.id and kind in ('JOINS', 'MOVES')
            limit 2
        ) l
        left join lateral (
            select size, fault, failing_since from queue_log_witnesses
            where program_id = p.id and kind = l.kind and witness = $1
            limit 1
        ) w on true
        where not is_throwaway(p.id)
        "#,
        witness,
    )
    .fetch_one(db)
    .await
}
