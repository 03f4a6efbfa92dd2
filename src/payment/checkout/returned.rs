//! Money that was returned to a buyer, or reinstated: one transaction, which also ends the withheld
//! shares whose points are taken back. Messages report it, and a worker asks for it without them.

use std::future::ready;

use futures_util::{StreamExt as _, stream};

use super::{ASKED_AT_ONCE_MAX, Checkouts};
use crate::{
    infra::{
        postgres::{Pool, retry_stale},
        security_log::PaymentEvent,
    },
    payment::shares::{self, ShareError},
    wallet::{
        ProviderError, WalletError,
        charges::{
            reversals::{
                self, ASKED_DAYS_MAX, DISPUTED_DAYS_MAX, Reversed,
                news::MoneyNews,
                store::{self, DuePurchase},
            },
            stripe::Stripe,
        },
    },
};

/// Number of settled purchases of one round, with two requests to the provider each.
const ROUND_ROWS: i64 = 5;

/// Books the news `told`, once, however often it is called.
pub(super) async fn reverse(db: &Pool, told: &MoneyNews) -> Result<Reversed, ShareError> {
    retry_stale(|_| async {
        let mut tx = db.begin().await?;
        let Some(buyer_id) = reversals::find_buyer(&mut tx, &told.payment_ref).await? else {
            return Ok(Reversed::Unknown);
        };
        let waiting = shares::lock_waiting_of(&mut tx, buyer_id).await?;
        let points = waiting.points();
        let (reversed, ended) = reversals::reverse(&mut tx, buyer_id, told, &points).await?;
        waiting.end(&mut tx, &ended).await?;
        tx.commit().await?;
        Ok(reversed)
    })
    .await
}

impl Checkouts {
    /// Asks the provider about the money of some settled purchases: one tick of the worker. Instances
    /// may run it concurrently. Purchases without an answer are due again in an hour.
    pub async fn check_returned(&self) -> Result<(), sqlx::Error> {
        let Some(stripe) = &self.stripe else { return Ok(()) };
        let (db, days) = (&self.app.db, (ASKED_DAYS_MAX, DISPUTED_DAYS_MAX));
        let due = store::claim_settled(db, ROUND_ROWS, days.0, days.1).await?;
        let asked = stream::iter(due).map(|due| async move { self.ask_about(stripe, &due).await });
        let failed = asked.buffer_unordered(ASKED_AT_ONCE_MAX).filter_map(|done| ready(done.err()));
        let failed: Vec<ShareError> = failed.collect().await;
        if let Some(error) = failed.first() {
            tracing::warn!(%error, n = failed.len(), "payments are asked about again in an hour");
        }
        Ok(())
    }

    /// Books the provider's answer about one payment. An unknown payment is no error.
    async fn ask_about(&self, stripe: &Stripe, due: &DuePurchase) -> Result<(), ShareError> {
        let news = match stripe.list_news(&due.payment_ref).await {
            Ok(news) => news,
            Err(ProviderError::Refused(said)) => {
                tracing::warn!(said, charge_id = %due.id, "the provider does not know a payment");
                Vec::new()
            }
            Err(error) => return Err(WalletError::from(error).into()),
        };
        for told in &news {
            if reverse(&self.app.db, told).await? == Reversed::Mismatch {
                self.app.security_log.record_payment(&PaymentEvent {
                    reason: "currency",
                    charge_id: Some(due.id.0),
                    provider_ref: &due.payment_ref,
                });
            }
        }
        store::write_answered(&self.app.db, due.id).await?;
        Ok(())
    }
}
