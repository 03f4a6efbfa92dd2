//! Money that goes back to cards: how far it is, what failed and why, and trying it again.

pub mod pages;
pub mod store;

use crate::{
    accounts::AccountId,
    admin::error::AdminError,
    app::App,
    audit::{
        self,
        model::{Act, AuditEntry, Subject},
    },
    infra::postgres::{Connection, retry_stale},
    wallet::charges::payouts::{self, PaidOut, model::PayoutId},
};

/// Payouts that one press tries again; the rest is left to the next.
const ATTEMPTS_MAX: i64 = 500;

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

/// Tries the failed payouts of `filter` again, and returns how many were.
pub async fn attempt_all(
    app: &App,
    by: AccountId,
    filter: &store::PayoutFilter,
) -> Result<usize, AdminError> {
    let mut n_tried = 0;
    for id in store::list_failed(&app.db, filter, ATTEMPTS_MAX).await? {
        match attempt(app, by, id).await {
            Ok(_) => n_tried += 1,
            // Its points are spent, or another press tried it.
            Err(error) => tracing::info!(%error, payout_id = %id, "a payout is not tried again"),
        }
    }
    Ok(n_tried)
}
