//! Joining, leaving, stays and the queries that other features make of the queue.

use chrono::{DateTime, Utc};
use sqlx::PgExecutor;

use super::{
    access_gates,
    admission::{self, store as gate},
    draw::entries,
    entry_pass::EntryPass,
    error::QueueError,
    guards::{self, Guard, JoinAttempt},
    join::model::JoinVerdict,
    model::{LiveToken, QueueNumber, Stay, TokenStatus},
    paths::queue_path,
    projection::project,
    redis_queue::RedisQueue,
    sale_window::require_opened,
    state::WaitingRoom,
    status::{StatusReport, status_of, status_of_join},
    store::{self, positions},
    turn_notices,
};
use crate::{
    accounts::{AccountError, AccountId},
    app::App,
    audit::model::Reason,
    catalog::{DrawStep, Program, ProgramId, SaleState},
    infra::{postgres::Connection, throwaway},
};

/// Joins the queue of `program` and returns the resulting status. Fails with
/// [`QueueError::TokenAlreadyIssued`] when the account has a live token.
pub(crate) async fn join(
    app: &App,
    room: &WaitingRoom,
    account_id: AccountId,
    program: &Program,
    attempt: JoinAttempt,
) -> Result<StatusReport, QueueError> {
    // Rehearsal accounts join rehearsal programs only, and real accounts real programs only.
    if throwaway::is_marked(program.id.0) != throwaway::is_marked(account_id.0) {
        return Err(QueueError::OtherOffice);
    }
    require_opened(app, program)?;
    let arrival = guards::arrive(app, room, account_id, program, attempt).await?;
    let joined = room.joins.join(program.id, account_id, arrival).await?;
    match joined.verdict {
        JoinVerdict::NotOpen { opens_at } => return Err(QueueError::not_open(program, opens_at)),
        JoinVerdict::Closed => return Err(QueueError::SaleClosed),
        JoinVerdict::AccountGone => return Err(AccountError::Deleted.into()),
        JoinVerdict::Refused(objection) => {
            return Err(guards::refuse(app, room, account_id, program, objection).await?);
        }
        JoinVerdict::Joined | JoinVerdict::Entered if program.guards.proof_bits.is_some() => {
            room.effects.slowed(program.id, Guard::Proof);
        }
        JoinVerdict::Joined | JoinVerdict::Entered | JoinVerdict::AlreadyIn => (),
    }
    let mut status = match status_of_join(app, room, program, &joined).await? {
        Some(status) => status,
        None => status_of(app, room, account_id, program).await?,
    };
    let is_waiting = status.state.status == TokenStatus::Waiting;
    let may_have_room = status.state.ahead == Some(0) && !joined.is_full;
    if is_waiting && admit_at_once(app, account_id, program, may_have_room).await {
        status = status_of(app, room, account_id, program).await?;
    }
    match joined.verdict {
        JoinVerdict::AlreadyIn => Err(QueueError::TokenAlreadyIssued {
            state: Box::new(status.state),
            queue_url: queue_path(&program.slug),
        }),
        _ => Ok(status),
    }
}

/// Admits accounts while there is room, so that the first of the queue, where the program's gate
/// `may_have_room`, and accounts that may use an access gate do not wait for the next tick of the worker.
/// Returns whether an account may have been admitted.
async fn admit_at_once(
    app: &App,
    account_id: AccountId,
    program: &Program,
    may_have_room: bool,
) -> bool {
    if may_have_room && let Err(error) = admission::admit(app, program.id).await {
        tracing::debug!(program_id = %program.id, %error, "nobody was let in at once");
    }
    let has_open_gate = access_gates::has_open_gate(app, program, account_id).await;
    let has_open_gate = has_open_gate.unwrap_or_else(|error| {
        tracing::debug!(program_id = %program.id, %error, "no gate was looked for");
        false
    });
    if has_open_gate && let Err(error) = access_gates::admit_in(app, program.id).await {
        tracing::debug!(program_id = %program.id, %error, "no access gate let anybody in at once");
    }
    may_have_room || has_open_gate
}

/// Ends the account's live token, waiting or admitted; its holds stay payable. With a `number`,
/// ends only the token with that number, so that a stale tab never ends a newer token; without one also
/// an entry in a draw.
pub(crate) async fn leave(
    app: &App,
    account_id: AccountId,
    program: &Program,
    number: Option<QueueNumber>,
) -> Result<(), QueueError> {
    let may_be_entry = number.is_none() && program.draw.is_some_and(|step| step != DrawStep::Drawn);
    if may_be_entry && entries::withdraw_entry(app, program.id, account_id).await? {
        return Ok(());
    }
    let mut tx = app.db.begin().await?;
    let token = store::lock_live_token(&mut tx, program.id, account_id).await?;
    let token = token.filter(|token| token.status != TokenStatus::Expired);
    let token = token.filter(|token| number.is_none_or(|number| number == token.queue_number));
    let token = token.ok_or_else(|| QueueError::no_token(program))?;
    store::write_ends(&mut tx, &[token.id], TokenStatus::Cancelled).await?;
    tx.commit().await?;
    project(app, program.id, &[account_id]).await;
    Ok(())
}

/// Admits `account_id` past the queue and beyond the capacity, by order of the administrator
/// `staff` and for `reason`, which the public log shows, in the caller's transaction; call
/// [`project`](crate::entry_queue::project()) after the commit.
pub async fn let_in(
    tx: &mut Connection,
    staff: AccountId,
    account_id: AccountId,
    program: &Program,
    reason: &Reason,
) -> Result<LiveToken, QueueError> {
    gate::lock_gate(tx, program.id).await?;
    let token = store::lock_live_token(tx, program.id, account_id).await?;
    let token = token.filter(|token| token.status == TokenStatus::Waiting);
    let token = token.ok_or_else(|| QueueError::no_token(program))?;
    let n_inside = gate::count_inside(tx, program.id).await?;
    let rules = gate::rules_of(tx, program.id).await?;
    match rules.sale() {
        SaleState::Open => (),
        SaleState::Coming { opens_at } => return Err(QueueError::not_open(program, opens_at)),
        SaleState::Closed | SaleState::Cancelled => return Err(QueueError::SaleClosed),
    }
    if rules.draw.is_some_and(DrawStep::is_drawing) {
        return Err(QueueError::DrawRunning);
    }
    let n_inside = i32::try_from(n_inside).unwrap_or(i32::MAX);
    let admission = gate::Admission {
        stay_ends_at: rules.stay_ends_at(),
        n_inside,
        capacity: rules.capacity,
        access_gate: None,
    };
    // First, so that the move that the admission logs says by whom and why.
    store::write_let_in_by(tx, token.id, staff, reason.as_str()).await?;
    gate::write_admissions(tx, &[token.id], &admission).await?;
    turn_notices::tell_called(tx, &[token.id]).await?;
    Ok(token)
}

fn not_admitted(program: &Program) -> QueueError {
    QueueError::NotAdmitted { queue_url: queue_path(&program.slug) }
}

/// Returns the stay of `account_id` in `program`, for pages that only read. The live row decides; a
/// `pass` that is shown must match it.
pub async fn require_stay(
    app: &App,
    account_id: AccountId,
    program: &Program,
    pass: Option<&EntryPass>,
) -> Result<Stay, QueueError> {
    let stay = store::find_stay(&app.db, program.id, account_id).await?;
    of_pass(stay, pass, program)
}

/// Returns `stay` if it exists and a `pass` that is shown matches it; a refusal otherwise. A hold
/// may start in it if [`require_open`] accepts a moment read after every lock, so that a hold that
/// waited for a row cannot start after the stay's end.
pub fn of_pass(
    stay: Option<Stay>,
    pass: Option<&EntryPass>,
    program: &Program,
) -> Result<Stay, QueueError> {
    stay.filter(|stay| pass.is_none_or(|pass| pass.admits(stay)))
        .ok_or_else(|| not_admitted(program))
}

/// Returns an error for a hold in a stay that has ended at `moment`, by the database's clock.
pub fn require_open(
    stay: &Stay,
    program: &Program,
    moment: DateTime<Utc>,
) -> Result<(), QueueError> {
    if moment < stay.stay_ends_at { Ok(()) } else { Err(not_admitted(program)) }
}

/// Locks the live token of `account_id` in the queue of `program_id`. In the order of locks this
/// comes before `reservations`.
pub async fn lock_live_token(
    tx: &mut Connection,
    account_id: AccountId,
    program_id: ProgramId,
) -> Result<Option<LiveToken>, sqlx::Error> {
    store::lock_live_token(tx, program_id, account_id).await
}

/// Ends a stay whose last hold is paid; call [`project`](crate::entry_queue::project()) after the
/// commit. A token that still waits is left alone: its owner left an earlier stay, kept its holds
/// and joined again.
pub async fn complete(tx: &mut Connection, token: &LiveToken) -> Result<(), sqlx::Error> {
    if token.status == TokenStatus::Active {
        store::write_ends(tx, &[token.id], TokenStatus::Completed).await?;
    }
    Ok(())
}

/// Returns how many accounts wait in `program_id`, parked ones excluded, and how many are admitted.
/// Redis answers; where it cannot, PostgreSQL counts.
pub async fn count_queue(app: &App, program_id: ProgramId) -> Result<(i64, i64), sqlx::Error> {
    match RedisQueue::of(&app.redis, program_id).count().await {
        Ok(Some(counted)) => Ok(counted),
        _ => positions::count(&app.db, program_id).await,
    }
}

/// Records how many accounts wait at the current minute, for the charts. The first record of a
/// minute stays.
pub async fn keep_minute(
    app: &App,
    program_id: ProgramId,
    waiting: i64,
) -> Result<(), sqlx::Error> {
    positions::write_minute(&app.db, program_id, waiting).await
}

/// Whether any account waits in the queue of `program_id`; parked ones do not count.
pub async fn is_anybody_waiting(
    db: impl PgExecutor<'_>,
    program_id: ProgramId,
) -> Result<bool, sqlx::Error> {
    store::is_anybody_waiting(db, program_id).await
}
