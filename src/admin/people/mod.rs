//! People: locked, promoted, given points, refunded.

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

/// Locks somebody out, or lets them back in.
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

/// Gives somebody another role.
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
    /// Whose points.
    pub(crate) account_id: AccountId,
    /// The signed change of the balance; never zero.
    pub(crate) amount: i64,
    /// Why.
    pub(crate) reason: Reason,
}

/// What an adjustment is answered with, and what its request key keeps.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Adjusted {
    /// The balance right after it.
    pub(crate) balance: Points,
}

/// Puts points into somebody's wallet, or takes usable ones out; once for each `key`. The act
/// in the log is what the wallet's entry refers to.
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

/// Refund of somebody's paid reservation by an administrator.
#[derive(Clone, Debug)]
pub(crate) struct Refund {
    pub(crate) reservation_id: ReservationId,
    /// Whose it is.
    pub(crate) owner_id: AccountId,
    pub(crate) share: Share,
    /// Why.
    pub(crate) reason: Reason,
}

/// Refunds somebody's paid reservation; once for each `key`.
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
