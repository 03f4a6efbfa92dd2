//! Server processes whose connection was given up, and the release of their resources.

use std::{
    sync::{
        Arc,
        atomic::{AtomicU32, Ordering},
    },
    time::Duration,
};

use deadpool::managed::Pool;
use tokio::time;

use super::{manager::Manager, slot::PoolSlot};
use crate::infra::postgres::settings::APPLICATION_NAME;

/// Time between two checks of a process.
const CHECK_PAUSE: Duration = Duration::from_secs(1);
/// Upper bound of one check, with its wait for a connection.
const CHECK_MAX: Duration = Duration::from_millis(1_500);
/// Failed checks in a row after which the place in the pool is given up.
const FAILED_CHECKS_MAX: u32 = 2;
/// Checks of a process that waits for a standby: about a day.
const STANDBY_CHECKS_MAX: u32 = 24 * 60 * 60;
/// Checks of any other process; its statement ends within five seconds.
const BUSY_CHECKS_MAX: u32 = 20;
/// Further checks after the place was given up: as long as a server's keepalive would take.
const LATE_CHECKS_MAX: u32 = 30;

/// State of a process whose connection was given up.
enum ProcessState {
    /// Commits, and waits for a synchronous standby.
    WaitingForStandby,
    /// Runs anything else, for a few seconds at most.
    Busy,
    /// Has ended, or was terminated by the check.
    Ended,
}

/// Waits until the process `backend_pid` of a connection that keeps its place in the pool has ended, and
/// terminates a process that waits for the rest of a request. Returns whether the process may still exist.
///
/// Closing the local end does not reach a server behind a wire that fell silent. A process that
/// waits for a standby keeps its locks until the standby is back: without its place in the pool,
/// each new connection would get stuck the same way, until the server accepts no more of them and
/// reads fail too. Its commit is not cancelled, because a cancelled one counts as done without the
/// standby, and a repeated request would be answered so. A process that got half of a request waits
/// for the other half with its locks held, and neither `statement_timeout` nor
/// `idle_in_transaction_session_timeout` runs meanwhile; nothing of it was acknowledged.
pub(crate) async fn keep_until_ended(pool: &Pool<Manager>, backend_pid: i32) -> bool {
    let (mut n_failed, mut n_busy, mut counted) = (0, 0, None);
    for _ in 0..STANDBY_CHECKS_MAX {
        match state_of(pool, backend_pid).await {
            Some(ProcessState::WaitingForStandby) => {
                n_failed = 0;
                counted.get_or_insert_with(|| Counted::new(pool.manager().waiting_for_standby()));
            }
            Some(ProcessState::Busy) if n_busy < BUSY_CHECKS_MAX => {
                (n_failed, n_busy) = (0, n_busy + 1);
            }
            Some(ProcessState::Busy | ProcessState::Ended) => return false,
            None => n_failed += 1,
        }
        if n_failed == FAILED_CHECKS_MAX {
            return true;
        }
        time::sleep(CHECK_PAUSE).await;
    }
    false
}

/// Terminates the process `backend_pid` of a connection whose place was given up, once the server
/// can be asked again.
pub(crate) async fn end_late(pool: Pool<Manager>, backend_pid: i32) {
    for _ in 0..LATE_CHECKS_MAX {
        time::sleep(CHECK_PAUSE).await;
        if matches!(state_of(&pool, backend_pid).await, Some(ProcessState::Ended)) {
            return;
        }
    }
}

/// Checks a process, and terminates it where it has waited in an open transaction for longer than
/// five seconds; `None` when the server could not be asked.
async fn state_of(pool: &Pool<Manager>, backend_pid: i32) -> Option<ProcessState> {
    let mut slot = None;
    let state = time::timeout(CHECK_MAX, ask(pool, &mut slot, backend_pid)).await.ok().flatten();
    if let Some(mut slot) = slot {
        // A timed-out check leaves a call open: its connection is reset in the background, so that
        // the caller does not wait.
        match state {
            Some(_) => slot.give_back(),
            None => drop(tokio::spawn(async move { slot.reset(false).await })),
        }
    }
    state
}

async fn ask(
    pool: &Pool<Manager>,
    slot: &mut Option<PoolSlot>,
    backend_pid: i32,
) -> Option<ProcessState> {
    let slot = slot.insert(PoolSlot::new(pool.get().await.ok()?));
    let row = sqlx::query!(
        r#"
        select coalesce(wait_event = 'SyncRep', false) as "is_waiting_for_standby!",
            case when wait_event = 'ClientRead' and xact_start is not null
                    and state_change < clock_timestamp() - interval '5 seconds'
                then pg_terminate_backend(pid) else false end as "is_ended!"
        from pg_stat_activity
        where pid = $1 and usename = current_user and application_name = $2
        "#,
        backend_pid,
        APPLICATION_NAME,
    )
    .fetch_optional(slot.connection_mut())
    .await
    .ok()?;
    Some(match row {
        Some(row) if row.is_waiting_for_standby => ProcessState::WaitingForStandby,
        Some(row) if !row.is_ended => ProcessState::Busy,
        _ => ProcessState::Ended,
    })
}

/// Commit waiting for a standby, counted for as long as this value lives.
struct Counted(Arc<AtomicU32>);

impl Counted {
    fn new(count: &Arc<AtomicU32>) -> Self {
        count.fetch_add(1, Ordering::Relaxed);
        Self(Arc::clone(count))
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}
