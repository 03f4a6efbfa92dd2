//! People: locked, promoted, given points, refunded.

use uuid::Uuid;

use super::{
    audit,
    error::AdminError,
    model::{Act, Entry, Reason, Subject},
};
use crate::{
    accounts::{self, AccountError, AccountId, Profile, Role},
    app::App,
    infra::postgres::{Transaction, retry_stale},
    payment::{self, Cancelled, Share},
    points::Points,
    reservation::{self, ReservationId},
    wallet::{self, Kind, WalletError},
};

/// Locks somebody out, or lets them back in.
pub(super) async fn lock_out(
    app: &App,
    by: AccountId,
    id: AccountId,
    is_locked: bool,
    reason: &Reason,
) -> Result<Profile, AdminError> {
    let mut tx = app.db.begin().await?;
    let changed = accounts::lock_out(&mut tx, by, id, is_locked).await;
    let act = if is_locked { Act::AccountLocked } else { Act::AccountUnlocked };
    finish(app, tx, Entry::new(by, act, Subject::Account, id).because(reason), changed).await
}

/// Gives somebody another role.
pub(super) async fn change_role(
    app: &App,
    by: AccountId,
    id: AccountId,
    (from, to): (Role, Role),
    reason: &Reason,
) -> Result<Profile, AdminError> {
    let mut tx = app.db.begin().await?;
    let changed = accounts::change_role(&mut tx, by, id, from, to).await;
    let entry = Entry::new(by, Act::RoleChanged, Subject::Account, id).because(reason);
    finish(app, tx, entry, changed).await
}

async fn finish(
    app: &App,
    tx: Transaction,
    entry: Entry,
    changed: Result<Option<(Profile, Profile)>, AccountError>,
) -> Result<Profile, AdminError> {
    let (before, after) = changed?.ok_or(AdminError::NotFound)?;
    audit::commit(app, tx, entry.before(&before).after(&after)).await?;
    Ok(after)
}

/// Puts points into somebody's wallet, or takes usable ones out; once for each `order`.
/// Answers with the balance after it.
pub(super) async fn adjust_points(
    app: &App,
    by: AccountId,
    id: AccountId,
    (order, amount): (Uuid, i64),
    reason: &Reason,
) -> Result<Points, AdminError> {
    accounts::find_profile(&app.db, id).await?.ok_or(AdminError::NotFound)?;
    let adjusted = retry_stale(|_| adjust_once(app, by, id, (order, amount), reason)).await;
    match adjusted {
        // The same press arrived twice: it was done, and is not done again.
        Err(AdminError::Wallet(WalletError::MovedBefore)) => {
            let wallet = wallet::find_wallet(&app.db, id).await?;
            Ok(wallet.map_or(Points::ZERO, |wallet| wallet.balance))
        }
        outcome => outcome,
    }
}

async fn adjust_once(
    app: &App,
    by: AccountId,
    id: AccountId,
    (order, amount): (Uuid, i64),
    reason: &Reason,
) -> Result<Points, AdminError> {
    let points = Points::new(amount.saturating_abs()).unwrap_or_default();
    let mut tx = app.db.begin().await?;
    let entry = Entry::new(by, Act::PointsAdjusted, Subject::Account, id).because(reason);
    let balance = match amount > 0 {
        true => wallet::credit(&mut tx, id, points, Kind::Adjustment, order).await?,
        false => wallet::debit(&mut tx, id, points, Kind::Adjustment, order).await?,
    };
    let told = |balance: i64| serde_json::json!({ "balance": balance });
    let entry = entry.before(&told(balance.get() - amount)).after(&told(balance.get()));
    audit::commit(app, tx, entry).await?;
    Ok(balance)
}

/// Refunds somebody's paid reservation.
pub(super) async fn refund(
    app: &App,
    by: AccountId,
    (id, owner): (ReservationId, AccountId),
    how_much: Share,
    reason: &Reason,
) -> Result<Cancelled, AdminError> {
    let (cancelled, schedule_id) = retry_stale(|_| async {
        let mut tx = app.db.begin().await?;
        let refunded = payment::refund(&mut tx, owner, id, how_much).await?;
        let entry = Entry::new(by, Act::Refunded, Subject::Reservation, id.0).because(reason);
        audit::commit(app, tx, entry.after(&refunded.0)).await?;
        Ok::<_, AdminError>(refunded)
    })
    .await?;
    reservation::announce(app, schedule_id);
    Ok(cancelled)
}
