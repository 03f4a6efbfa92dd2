//! Accounts as administrators manage them: locks, roles, points and refunds.
//!
//! An **adjustment** changes an account's points; a **write-off** ends a debt; a **refund** gives a
//! paid reservation back; a **moment** is an event of an account's timeline.
//!
//! # Invariants
//!
//! * An adjustment, a write-off or a refund with a request key happens once for each key.
//! * A refund never touches rehearsal data; [`throwaway::is_marked`] decides.
//!
//! # Concurrency
//!
//! Lock and role changes race for the rows of both accounts, in `accounts::roles`. Adjustments
//! and refunds are retried after a database conflict.

pub mod pages;
pub mod store;

use std::cell::Cell;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::error::AdminError;
use crate::{
    accounts::{self, AccountError, AccountId, Profile, Role, second_factor},
    app::App,
    audit::{
        self,
        model::{Act, AuditEntry, Reason, Subject},
    },
    catalog::{RefundTarget, ScheduleId},
    infra::{
        idempotency::RequestKey,
        postgres::{Connection, Pool, retry_stale},
        throwaway,
    },
    payment::{
        self, Cancelled, Share,
        ticket_refund::{
            model::{GivenBy, TicketRefundOrder, TicketRefunded},
            refund_in,
        },
    },
    points::Points,
    reservation::{self, ReservationId, ReservationStatus},
    tickets::TicketCode,
    wallet::{self, Kind, debts::WrittenOff},
};

/// Reason of an act at the command line, which has no session.
const COMMAND_LINE: &str = "stagedoor admin reset-second-factor";

/// Locks an account or unlocks it, and records the act.
pub async fn lock_out(
    app: &App,
    by: AccountId,
    id: AccountId,
    is_locked: bool,
    reason: &Reason,
) -> Result<Profile, AdminError> {
    let act = if is_locked { Act::AccountLocked } else { Act::AccountUnlocked };
    let entry = AuditEntry::new(by, act, Subject::Account, id).because(reason);
    change(app, entry, async |tx| accounts::lock_out(tx, by, id, is_locked).await).await
}

/// Changes an account's role from `from` to `to`, and records the act.
pub async fn change_role(
    app: &App,
    by: AccountId,
    id: AccountId,
    (from, to): (Role, Role),
    reason: &Reason,
) -> Result<Profile, AdminError> {
    let entry = AuditEntry::new(by, Act::RoleChanged, Subject::Account, id).because(reason);
    change(app, entry, async |tx| accounts::change_role(tx, by, id, from, to).await).await
}

/// Removes the second factor of an account that lost it, and records the act.
pub async fn reset_second_factor(
    app: &App,
    by: AccountId,
    id: AccountId,
    reason: &Reason,
) -> Result<Profile, AdminError> {
    let entry = AuditEntry::new(by, Act::SecondFactorReset, Subject::Account, id).because(reason);
    change(app, entry, async |tx| second_factor::reset(tx, by, id).await).await
}

/// Removes the second factor of the account with an address, for an operator at the command line;
/// recorded as an act of the account itself.
pub async fn reset_at_command_line(db: &Pool, email: &str) -> Result<(), AccountError> {
    let mut tx = db.begin().await?;
    let id = second_factor::reset_at_address(&mut tx, email).await?;
    let reason = Reason::parse(COMMAND_LINE);
    let entry = AuditEntry::new(id, Act::SecondFactorReset, Subject::Account, id);
    audit::store::insert(&mut tx, &entry.because(reason.as_ref())).await?;
    Ok(tx.commit().await?)
}

/// Performs a change of an account and records it in `entry`, with the profile before and after.
async fn change(
    app: &App,
    entry: AuditEntry,
    work: impl AsyncFnOnce(&mut Connection) -> Result<Option<(Profile, Profile)>, AccountError>,
) -> Result<Profile, AdminError> {
    audit::perform(app, async |tx| {
        let (before, after) = work(tx).await?.ok_or(AdminError::NotFound)?;
        let entry = entry.before(&before).after(&after);
        Ok((after, entry))
    })
    .await
}

/// Adjustment of one account's points by an administrator.
#[derive(Clone, Debug)]
pub struct Adjustment {
    /// Account whose points change.
    pub account_id: AccountId,
    /// Signed change of the balance, in points; never zero.
    pub amount: i64,
    /// Reason for the audit log.
    pub reason: Reason,
}

/// Result of an adjustment, kept with its request key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Adjusted {
    /// Balance right after the adjustment.
    pub balance: Points,
}

/// Credits points to an account, or debits usable ones; once for each `key`. The wallet's
/// transaction refers to the act in the audit log.
pub(crate) async fn adjust_points(
    app: &App,
    by: AccountId,
    adjustment: &Adjustment,
    key: Option<&RequestKey>,
) -> Result<Adjusted, AdminError> {
    let Adjustment { account_id: id, amount, ref reason } = *adjustment;
    accounts::find_profile(&app.db, id).await?.ok_or(AdminError::NotFound)?;
    let points = Points::new(amount.saturating_abs()).unwrap_or_default();
    let adjust = async |tx: &mut Connection| {
        let entry = AuditEntry::new(by, Act::PointsAdjusted, Subject::Account, id).because(reason);
        let balance = match amount > 0 {
            true => wallet::credit(tx, id, points, Kind::Adjustment, entry.id).await?,
            false => wallet::debit(tx, id, points, Kind::Adjustment, entry.id).await?,
        };
        let wallet_json = |balance: i64| serde_json::json!({ "balance": balance });
        let entry =
            entry.before(&wallet_json(balance.get() - amount)).after(&wallet_json(balance.get()));
        Ok((Adjusted { balance }, entry))
    };
    retry_stale(|_| audit::perform_once(app, key, &adjust)).await
}

/// Write-off of one account's debt by an administrator.
#[derive(Clone, Debug)]
pub(crate) struct DebtWriteOff {
    /// Account that owes.
    pub account_id: AccountId,
    /// Points that are not owed any more.
    pub points: Points,
    /// Reason for the audit log.
    pub reason: Reason,
}

/// Result of a write-off, kept with its request key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct DebtLeft {
    /// Points still owed.
    pub debt: Points,
}

/// Writes a debt off, whole or in part; once for each `key`. The wallet's entry refers to the act in
/// the audit log.
pub(crate) async fn write_off_debt(
    app: &App,
    by: AccountId,
    write_off: &DebtWriteOff,
    key: Option<&RequestKey>,
) -> Result<DebtLeft, AdminError> {
    let DebtWriteOff { account_id: id, points, ref reason } = *write_off;
    accounts::find_profile(&app.db, id).await?.ok_or(AdminError::NotFound)?;
    let write_off = async |tx: &mut Connection| {
        let entry = AuditEntry::new(by, Act::DebtWrittenOff, Subject::Account, id).because(reason);
        let WrittenOff { before, after } =
            wallet::debts::write_off(tx, id, points, entry.id).await?;
        let entry = entry.before(&DebtLeft { debt: before }).after(&DebtLeft { debt: after });
        Ok::<_, AdminError>((DebtLeft { debt: after }, entry))
    };
    retry_stale(|_| audit::perform_once(app, key, &write_off)).await
}

/// Refund of a paid reservation by an administrator.
#[derive(Clone, Debug)]
pub struct Refund {
    pub reservation_id: ReservationId,
    /// Account that owns the reservation.
    pub owner_id: AccountId,
    /// Tickets that are given back; empty: all of the reservation.
    pub codes: Vec<TicketCode>,
    pub share: Share,
    /// Where the money goes.
    pub target: RefundTarget,
    /// Reason for the audit log.
    pub reason: Reason,
}

/// Refunds a paid reservation or tickets of it; once for each `key`.
pub async fn refund(
    app: &App,
    by: AccountId,
    refund: &Refund,
    key: Option<&RequestKey>,
) -> Result<Cancelled, AdminError> {
    if throwaway::is_marked(refund.owner_id.0) {
        return Err(AccountError::Rehearsed.into());
    }
    let Refund { reservation_id: id, owner_id, ref codes, share, target, ref reason } = *refund;
    // Nothing is announced for a repeated request.
    let schedule_id = Cell::new(None);
    let give_back = async |tx: &mut Connection| {
        let (cancelled, of) = match codes.is_empty() {
            true => payment::refund(tx, owner_id, id, share, target).await?,
            false => refund_alone(tx, refund).await?,
        };
        schedule_id.set(Some(of));
        let entry = AuditEntry::new(by, Act::Refunded, Subject::Reservation, id.0);
        let entry = entry.because(reason).after(&cancelled);
        Ok::<_, AdminError>((cancelled, entry))
    };
    let cancelled = retry_stale(|_| audit::perform_once(app, key, &give_back)).await?;
    if let Some(schedule_id) = schedule_id.get() {
        reservation::announce(app, schedule_id);
    }
    Ok(cancelled)
}

/// Refunds the chosen tickets of a reservation, whose others stay.
async fn refund_alone(
    tx: &mut Connection,
    refund: &Refund,
) -> Result<(Cancelled, ScheduleId), AdminError> {
    let &Refund { reservation_id, share, target, .. } = refund;
    let by = GivenBy::Staff(reservation_id, share);
    let order = TicketRefundOrder { by, codes: refund.codes.clone(), shown: None, target };
    let (TicketRefunded { refunded, to_cards, .. }, of) = refund_in(tx, &order).await?;
    let status = ReservationStatus::Confirmed;
    Ok((Cancelled { reservation_id, status, refunded, to_cards }, of))
}
