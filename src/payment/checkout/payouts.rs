//! Payouts on their way: a worker sends them, and messages and answers of the provider end them.
//!
//! The failure of one is one transaction with the withheld shares whose points are taken back with it.

use chrono::{DateTime, Utc};
use futures_util::{StreamExt as _, stream};

use super::{ASKED_AT_ONCE_MAX, Checkouts};
use crate::{
    infra::{
        postgres::{Pool, retry_stale},
        security_log::PaymentEvent,
        sweep::Sweep,
    },
    payment::shares::{self, ShareError},
    wallet::{
        ProviderError, WalletError,
        charges::{
            payouts::{
                self, PayoutFailure,
                model::{DuePayout, PayoutId},
                store,
            },
            stripe::{Stripe, refund::ProviderRefund},
        },
    },
};

/// Bounds of the claims of one tick.
const DUE: Sweep = Sweep { rows_max: 20, parts_max: 20 };
/// Letters of a reason that are kept.
const REASON_CHARS_MAX: usize = 200;
/// Reason of a payout that the provider never heard of.
const UNHEARD: &str = "no_answer";

impl Checkouts {
    /// Sends payouts that are due, and asks the provider about the ones that are under way: one tick of the
    /// worker. Instances may run it concurrently.
    pub async fn send_payouts(&self) -> Result<(), sqlx::Error> {
        let Some(stripe) = &self.stripe else { return Ok(()) };
        let send = |due: DuePayout| async move {
            // One that cannot be sent must not keep the others from being sent.
            if let Err(error) = self.pursue(stripe, &due).await {
                tracing::warn!(%error, payout_id = %due.id, "a payout is asked about again");
            }
        };
        DUE.parts(|rows_max| async move {
            let claimed = store::claim_due(&self.app.db, rows_max).await?;
            let n_claimed = claimed.len();
            stream::iter(claimed).for_each_concurrent(ASKED_AT_ONCE_MAX, send).await;
            Ok::<_, sqlx::Error>(n_claimed)
        })
        .await
    }

    /// Sends a claimed payout, or asks about it, and applies the answer. Without one it is due again later.
    async fn pursue(&self, stripe: &Stripe, due: &DuePayout) -> Result<(), ShareError> {
        let db = &self.app.db;
        match answer_about(stripe, due).await {
            Ok(refund) => self.apply_refund(due, &refund, None).await,
            Err(ProviderError::Refused(said)) if due.refund_ref.is_none() => {
                fail(db, due.id, refused(&said)).await
            }
            Err(error) => Err(WalletError::from(error).into()),
        }
    }

    /// Notes the state of a refund that a message of the time `at` reports. Returns whether the refund carries
    /// a payout out.
    pub(super) async fn note_refund(
        &self,
        refund: &ProviderRefund,
        at: Option<DateTime<Utc>>,
    ) -> Result<bool, ShareError> {
        let found = store::find(&self.app.db, refund.payout_id(), &refund.id).await?;
        let Some(payout) = found else { return Ok(false) };
        self.apply_refund(&payout, refund, at).await?;
        Ok(true)
    }

    /// Writes the state of `refund` into its payout, once, however often it is called.
    async fn apply_refund(
        &self,
        payout: &DuePayout,
        refund: &ProviderRefund,
        at: Option<DateTime<Utc>>,
    ) -> Result<(), ShareError> {
        let is_its = refund.amount == payout.amount_minor
            && refund.currency.eq_ignore_ascii_case(&payout.currency)
            && refund.payment_intent.as_ref() == Some(&payout.payment_ref)
            && payout.refund_ref.as_ref().is_none_or(|known| *known == refund.id);
        if !is_its {
            self.app.security_log.record_payment(&PaymentEvent {
                reason: "payout",
                charge_id: Some(payout.charge_id.0),
                provider_ref: &refund.id,
            });
            return Ok(());
        }
        let db = &self.app.db;
        match refund.status.as_deref() {
            _ if refund.has_failed() => {
                let reason = refund.failure_reason.as_deref().or(refund.status.as_deref());
                let reason = shortened(reason.unwrap_or_default());
                let refund_ref = Some(refund.id.as_str());
                fail(db, payout.id, PayoutFailure { reason: &reason, refund_ref, at }).await
            }
            Some("succeeded") => Ok(payouts::settle(db, payout.id, &refund.id).await?),
            _ => Ok(store::write_named(db, payout.id, &refund.id).await?),
        }
    }
}

/// Asks the provider for the refund of a payout, which it makes where it has none, unless that is overdue. A
/// refusal is final only where no earlier request was carried out.
async fn answer_about(stripe: &Stripe, due: &DuePayout) -> Result<ProviderRefund, ProviderError> {
    if let Some(refund_ref) = &due.refund_ref {
        return stripe.get_refund(refund_ref).await;
    }
    if due.is_old
        && let Some(refund) = stripe.find_refund(&due.payment_ref, due.id).await?
    {
        return Ok(refund);
    }
    if due.is_overdue {
        return Err(ProviderError::Refused(UNHEARD.to_owned()));
    }
    let refusal = match stripe.create_refund(due).await {
        Err(refusal @ ProviderError::Refused(_)) if due.n_checks > 1 => refusal,
        answer => return answer,
    };
    let made = stripe.find_refund(&due.payment_ref, due.id).await?;
    made.ok_or(refusal)
}

fn refused(reason: &str) -> PayoutFailure<'_> {
    PayoutFailure { reason, refund_ref: None, at: None }
}

fn shortened(reason: &str) -> String {
    reason.chars().filter(|c| !c.is_control()).take(REASON_CHARS_MAX).collect()
}

/// Gives the points of a payout back, once, however often it is called.
async fn fail(db: &Pool, id: PayoutId, failure: PayoutFailure<'_>) -> Result<(), ShareError> {
    let reason = shortened(failure.reason);
    let failure = PayoutFailure { reason: &reason, ..failure };
    retry_stale(|_| async {
        let mut tx = db.begin().await?;
        let Some((payer_id, _)) = store::find_payer(&mut tx, id).await? else { return Ok(()) };
        let waiting = shares::lock_waiting_of(&mut tx, payer_id).await?;
        let points = waiting.points();
        let ended = payouts::fail(&mut tx, payer_id, id, failure, &points).await?;
        waiting.end(&mut tx, &ended).await?;
        Ok(tx.commit().await?)
    })
    .await
}
