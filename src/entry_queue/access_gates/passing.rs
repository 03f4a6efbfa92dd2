//! Admission by an access gate: one transaction, behind the gate's lock.

use super::{model::MovingGate, store};
use crate::{
    accounts::AccountId,
    app::App,
    catalog::{ProgramId, SaleState},
    entry_queue::{
        admission::store as gate,
        model::{QueuedAccount, TokenId},
        parking::{Decision, Liveness},
        projection::{error::ProjectionError, project},
        redis_queue::RedisQueue,
        rules::Rules,
        turn_notices,
    },
    infra::postgres::Connection,
};

/// Tokens considered in one admission.
const CALLED_MAX: i64 = 1_000;

/// Admits through every open access gate. An error of one gate is logged and stops no other.
pub(in crate::entry_queue) async fn admit_everywhere(app: &App) -> Result<(), sqlx::Error> {
    for moving in store::list_moving(&app.db, None).await? {
        admit_logged(app, moving).await;
    }
    Ok(())
}

/// Admits through the open access gates of one program.
pub(in crate::entry_queue) async fn admit_in(
    app: &App,
    program_id: ProgramId,
) -> Result<(), sqlx::Error> {
    for moving in store::list_moving(&app.db, Some(program_id)).await? {
        admit_logged(app, moving).await;
    }
    Ok(())
}

async fn admit_logged(app: &App, moving: MovingGate) {
    if let Err(error) = admit(app, moving).await {
        tracing::warn!(gate_id = %moving.id, %error, "an access gate let nobody in");
    }
}

/// Admits through one gate. Does nothing while Redis is away or the queue is rebuilt, because no
/// account's presence is known then.
async fn admit(app: &App, moving: MovingGate) -> Result<(), ProjectionError> {
    let mut tx = app.db.begin().await?;
    let first = store::list_first(&mut tx, moving, CALLED_MAX).await?;
    // Nothing is locked while Redis is asked.
    tx.commit().await?;
    if first.is_empty() {
        return Ok(());
    }
    let accounts: Vec<AccountId> = first.iter().map(|account| account.account_id).collect();
    let queue = RedisQueue::of(&app.redis, moving.program_id);
    let called = queue.call_up(&accounts, app.config.queue_grace()).await.ok().flatten();
    let Some(liveness) = called else { return Ok(()) };
    let mut tx = app.db.begin().await?;
    let moved = pass(&mut tx, moving, &liveness).await?;
    tx.commit().await?;
    project(app, moving.program_id, &moved).await;
    Ok(())
}

/// Admits the present accounts in the order of their numbers, as many as the gate has room for, and
/// writes the mails of near turns. Returns the accounts whose position in Redis has to be written.
async fn pass(
    tx: &mut Connection,
    moving: MovingGate,
    liveness: &Liveness,
) -> Result<Vec<AccountId>, sqlx::Error> {
    let Some(access) = store::try_lock(tx, moving.id).await? else { return Ok(Vec::new()) };
    let n_inside = store::count_inside(tx, moving.id).await?;
    let rules = gate::rules_of(tx, moving.program_id).await?;
    let room = usize::try_from(i64::from(access.capacity) - n_inside).unwrap_or(0);
    if !admits(&rules) || rules.now < access.opens_at {
        return Ok(Vec::new());
    }
    // Read again behind the lock: an account that came back meanwhile has a number before others.
    let queued: Vec<QueuedAccount> = store::list_first(tx, moving, CALLED_MAX).await?;
    let decision = match room {
        0 => Decision::default(),
        room => Decision::of(&queued, liveness, room),
    };
    let n_inside = i32::try_from(n_inside).unwrap_or(i32::MAX);
    let admission = gate::Admission {
        stay_ends_at: rules.stay_ends_at(),
        n_inside,
        capacity: Some(access.capacity),
        access_gate: Some(moving.id),
    };
    let mut moved = gate::write_admissions(tx, &decision.admitted, &admission).await?;
    metrics::counter!("stagedoor_admissions_total")
        .increment(u64::try_from(moved.len()).unwrap_or(0));
    moved.extend(gate::park(tx, &decision.parked).await?);
    let near = queued.iter().take(room.saturating_add(turn_notices::FEW_AHEAD_AT_GATES));
    let mut told: Vec<TokenId> = near.map(|account| account.token_id).collect();
    told.extend(decision.admitted.iter().chain(&decision.parked));
    turn_notices::tell_called(tx, &told).await?;
    moved.extend(decision.misplaced);
    Ok(moved)
}

/// Whether access gates admit under these rules: the sale is not over, whether it has opened or not.
fn admits(rules: &Rules) -> bool {
    matches!(rules.sale(), SaleState::Open | SaleState::Coming { .. }) && !rules.is_paused
}
