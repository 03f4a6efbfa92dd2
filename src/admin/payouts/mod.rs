//! Money that goes back to cards: how far it is, what failed and why, and trying it again.

pub mod pages;
pub mod store;

use uuid::Uuid;

use crate::{
    accounts::AccountId,
    admin::error::AdminError,
    app::App,
    audit::{
        self,
        model::{Act, AuditEntry, Subject},
    },
    infra::postgres::{Connection, retry_stale},
    wallet::{
        WalletError,
        charges::payouts::{self, PaidOut, model::PayoutId},
    },
};

/// Payouts that one press tries again, as many as its deadline has room for; the next press goes on behind them.
const ATTEMPTS_MAX: i64 = 100;

/// Tries a payout again, or asks about one under way, and records the act.
pub async fn attempt(app: &App, by: AccountId, id: PayoutId) -> Result<PaidOut, AdminError> {
    let attempt = async |tx: &mut Connection| {
        let (payer_id, paid) = payouts::attempt(tx, id).await?;
        let entry = AuditEntry::new(by, Act::PayoutTriedAgain, Subject::Account, payer_id);
        let entry = entry.after(&paid);
        Ok::<_, AdminError>((paid, entry))
    };
    retry_stale(|_| audit::perform(app, &attempt)).await
}

/// Tries the failed payouts of `filter` again that are newer than `after`. Returns how many were, and the last one
/// that was looked at; `None` if there are no more.
pub async fn attempt_all(
    app: &App,
    by: AccountId,
    filter: &store::PayoutFilter,
    after: Option<Uuid>,
) -> Result<(usize, Option<PayoutId>), AdminError> {
    let failed = store::list_failed(&app.db, filter, after, ATTEMPTS_MAX + 1).await?;
    let (n_tried_max, mut n_tried) = (usize::try_from(ATTEMPTS_MAX).unwrap_or(usize::MAX), 0);
    let tried = failed.get(..n_tried_max).unwrap_or(&failed);
    for id in tried {
        match attempt(app, by, *id).await {
            Ok(_) => n_tried += 1,
            // Its points are spent, or another press tried it.
            Err(AdminError::Wallet(
                WalletError::NothingToPayOut | WalletError::PayoutNotFailed,
            )) => {}
            Err(error) => return Err(error),
        }
    }
    Ok((n_tried, tried.last().copied().filter(|_| failed.len() > n_tried_max)))
}
