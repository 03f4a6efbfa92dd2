//! Accounts as administrators manage them: locks, roles, points and refunds.
//!
//! An **adjustment** changes an account's points; a **refund** gives a paid reservation back; a
//! **moment** is an event of an account's timeline.
//!
//! # Invariants
//!
//! * An adjustment or a refund with a request key happens once for each key.
//! * A refund never touches rehearsal data; [`throwaway::is_marked`] decides.
//!
//! # Concurrency
//!
//! Lock and role changes race for the rows of both accounts, in `accounts::roles`. Adjustments
//! and refunds are retried after a database conflict.

pub(crate) mod pages;
pub(crate) mod store;

use serde::{Deserialize, Serialize};

use super::error::AdminError;
use crate::{
    accounts::{self, AccountError, AccountId, Profile, Role},
    app::App,
    audit::{
        self,
        model::{Act, AuditEntry, Reason, Subject},
    },
    infra::{
        idempotency::{Claim, RequestKey, commit_kept},
        postgres::{Transaction, retry_stale},
        throwaway,
    },
    payment::{self, Cancelled, Share},
    points::Points,
    reservation::{self, ReservationId},
    wallet::{self, Kind},
};

/// Locks an account or unlocks it, and records the act.
pub(crate) async fn lock_out(
    app: &App,
    by: AccountId,
    id: AccountId,
    is_locked: bool,
    reason: &Reason,
) -> Result<Profile, AdminError> {
    let mut tx = app.db.begin().await?;
    let changed = accounts::lock_out(&mut tx, by, id, is_locked).await;
    let act = if is_locked { Act::AccountLocked } else { Act::AccountUnlocked };
    finish(app, tx, AuditEntry::new(by, act, Subject::Account, id).because(reason), changed).await
}

/// Changes an account's role from `from` to `to`, and records the act.
pub(crate) async fn change_role(
    app: &App,
    by: AccountId,
    id: AccountId,
    (from, to): (Role, Role),
    reason: &Reason,
) -> Result<Profile, AdminError> {
    let mut tx = app.db.begin().await?;
    let changed = accounts::change_role(&mut tx, by, id, from, to).await;
    let entry = AuditEntry::new(by, Act::RoleChanged, Subject::Account, id).because(reason);
    finish(app, tx, entry, changed).await
}

async fn finish(
    app: &App,
    tx: Transaction,
    entry: AuditEntry,
    changed: Result<Option<(Profile, Profile)>, AccountError>,
) -> Result<Profile, AdminError> {
    let (before, after) = changed?.ok_or(AdminError::NotFound)?;
    audit::commit(app, tx, entry.before(&before).after(&after)).await?;
    Ok(after)
}

/// Adjustment of one account's points by an administrator.
#[derive(Clone, Debug)]
pub(crate) struct Adjustment {
    /// Account whose points change.
    pub(crate) account_id: AccountId,
    /// Signed change of the balance, in points; never zero.
    pub(crate) amount: i64,
    /// Reason for the audit log.
    pub(crate) reason: Reason,
}

/// Result of an adjustment, kept with its request key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Adjusted {
    /// Balance right after the adjustment.
    pub(crate) balance: Points,
}

/// Credits points to an account, or debits usable ones; once for each `key`. The wallet's
/// transaction refers to the act in the audit log.
pub(crate) async fn adjust_points(
    app: &App,
    by: AccountId,
    adjustment: &Adjustment,
    key: Option<&RequestKey>,
) -> Result<Adjusted, AdminError> {
    let found = accounts::find_profile(&app.db, adjustment.account_id).await?;
    found.ok_or(AdminError::NotFound)?;
    retry_stale(|_| adjust_once(app, by, adjustment, key)).await
}

async fn adjust_once(
    app: &App,
    by: AccountId,
    adjustment: &Adjustment,
    key: Option<&RequestKey>,
) -> Result<Adjusted, AdminError> {
    let Adjustment { account_id: id, amount, ref reason } = *adjustment;
    let mut tx = app.db.begin().await?;
    if let Some(key) = key
        && let Claim::Done(adjusted) = key.claim(&mut tx).await?
    {
        return Ok(adjusted);
    }
    let points = Points::new(amount.saturating_abs()).unwrap_or_default();
    let entry = AuditEntry::new(by, Act::PointsAdjusted, Subject::Account, id).because(reason);
    let balance = match amount > 0 {
        true => wallet::credit(&mut tx, id, points, Kind::Adjustment, entry.id).await?,
        false => wallet::debit(&mut tx, id, points, Kind::Adjustment, entry.id).await?,
    };
    let told = |balance: i64| serde_json::json!({ "balance": balance });
    let entry = entry.before(&told(balance.get() - amount)).after(&told(balance.get()));
    audit::record(&mut tx, &entry).await?;
    let adjusted = commit_kept(&app.db, tx, key, Adjusted { balance }).await?;
    audit::tell(app, &entry);
    Ok(adjusted)
}

/// Refund of a paid reservation by an administrator.
#[derive(Clone, Debug)]
pub(crate) struct Refund {
    pub(crate) reservation_id: ReservationId,
    /// Account that owns the reservation.
    pub(crate) owner_id: AccountId,
    pub(crate) share: Share,
    /// Reason for the audit log.
    pub(crate) reason: Reason,
}

/// Refunds a paid reservation; once for each `key`.
pub(crate) async fn refund(
    app: &App,
    by: AccountId,
    refund: &Refund,
    key: Option<&RequestKey>,
) -> Result<Cancelled, AdminError> {
    if throwaway::is_marked(refund.owner_id.0) {
        return Err(AccountError::Rehearsed.into());
    }
    retry_stale(|_| refund_once(app, by, refund, key)).await
}

async fn refund_once(
    app: &App,
    by: AccountId,
    refund: &Refund,
    key: Option<&RequestKey>,
) -> Result<Cancelled, AdminError> {
    let Refund { reservation_id: id, owner_id, share, ref reason } = *refund;
    let mut tx = app.db.begin().await?;
    if let Some(key) = key
        && let Claim::Done(cancelled) = key.claim(&mut tx).await?
    {
        return Ok(cancelled);
    }
    let (cancelled, schedule_id) = payment::refund(&mut tx, owner_id, id, share).await?;
    let entry = AuditEntry::new(by, Act::Refunded, Subject::Reservation, id.0).because(reason);
    let entry = entry.after(&cancelled);
    audit::record(&mut tx, &entry).await?;
    let cancelled = commit_kept(&app.db, tx, key, cancelled).await?;
    audit::tell(app, &entry);
    reservation::announce(app, schedule_id);
    Ok(cancelled)
}
