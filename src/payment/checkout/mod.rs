//! Checkouts: what becomes of points that are bought on the page of a payment provider, and the
//! payment of the reservation that they were bought for.
//!
//! Three hear of a payment, in any order and any number of times: the provider's message
//! ([`pages::webhook`]), the page to which the person returns ([`pages`]), and a worker that asks
//! the provider for purchases without news ([`Checkouts::check_due`]). Each passes what it heard to
//! [`Checkouts::apply`].
//!
//! # Invariants
//!
//! * A purchase is settled once, whoever hears of it, however often, and wherever a process dies.
//! * Nothing is credited for another amount, another currency or an unknown purchase.
//! * An answer of the provider that is missing ends nothing: it is asked again.
//! * A hold is never prolonged. Where it has ended when the points come, they stay in the wallet.
//!
//! # Concurrency
//!
//! The transaction that settles locks the purchase; the others find it settled. The reservation is
//! paid after it, under a request key that is derived from the purchase, so it is paid once, and a
//! process that dies in between leaves it to the worker.

pub(crate) mod pages;
mod returned;

use std::{num::NonZeroU32, sync::Arc, time::Duration};

use futures_util::{StreamExt as _, stream};
use governor::Quota;

use super::{batch::Payments, error::PaymentError};
use crate::{
    accounts::AccountId,
    app::App,
    infra::{idempotency::RequestKey, limits::Limit, security_log::PaymentEvent},
    reservation::ReservationId,
    wallet::{
        Charges, Provider, WalletError,
        charges::{
            purchases::{
                self,
                model::{CheckoutVerdict, Purchase, PurchaseStatus},
                store,
            },
            stripe::{Stripe, checkout::Checkout},
        },
    },
};

/// Purchases claimed at once, and claims of one tick.
const PAGE_ROWS: i64 = 20;
const PAGES_MAX: usize = 20;
/// Conversations with the provider at once.
const ASKED_AT_ONCE_MAX: usize = 8;
/// Questions about the purchases of one account that its pages cause, in a burst and a second: a
/// page that is reloaded without end must not use up what the provider allows this office.
const ASKED_BURST: NonZeroU32 = NonZeroU32::new(10).unwrap();
const ASKED_PER_SECOND: NonZeroU32 = NonZeroU32::MIN;
/// How long a page waits for the provider, below the deadline of a read.
const PAGE_ASK_MAX: Duration = Duration::from_millis(1_200);

/// Checkouts of one instance.
#[derive(Clone, Debug)]
pub struct Checkouts {
    app: App,
    charges: Charges,
    payments: Payments,
    /// `None` where points cost nothing.
    stripe: Option<Arc<Stripe>>,
    asked: Arc<Limit<AccountId>>,
}

impl Checkouts {
    /// Creates the checkouts of one instance.
    pub(crate) fn new(
        app: &App,
        provider: &Provider,
        charges: &Charges,
        payments: &Payments,
    ) -> Self {
        let stripe = match provider {
            Provider::Demo => None,
            Provider::Stripe(stripe) => Some(Arc::clone(stripe)),
        };
        let quota = Quota::per_second(ASKED_PER_SECOND).allow_burst(ASKED_BURST);
        Self {
            app: app.clone(),
            charges: charges.clone(),
            payments: payments.clone(),
            stripe,
            asked: Arc::new(Limit::new(quota)),
        }
    }

    /// Asks the provider about open purchases without news, and pays reservations that an instance
    /// left unpaid: one tick of the worker. Instances may run it concurrently.
    pub async fn check_due(&self) -> Result<(), sqlx::Error> {
        self.asked.forget();
        let Some(stripe) = &self.stripe else { return Ok(()) };
        for _ in 0..PAGES_MAX {
            let page = store::claim_due(&self.app.db, PAGE_ROWS).await?;
            let is_last = page.len() < usize::try_from(PAGE_ROWS).unwrap_or(usize::MAX);
            let checking = stream::iter(page).for_each_concurrent(ASKED_AT_ONCE_MAX, |due| async move {
                // A purchase that cannot be checked must not keep the others from it.
                if let Err(error) = self.check_late(stripe, &due).await {
                    tracing::warn!(%error, charge_id = %due.id, "a purchase is asked about again");
                }
            });
            checking.await;
            if is_last {
                break;
            }
        }
        self.pay_left().await
    }

    /// Asks about a purchase without news. One that the provider gives no word for is given up when
    /// it is old.
    async fn check_late(&self, stripe: &Stripe, purchase: &Purchase) -> Result<(), PaymentError> {
        let db = &self.app.db;
        let checked = match &purchase.provider_ref {
            Some(provider_ref) => self.check(stripe, purchase, provider_ref).await.map(drop),
            // The process that asked first did not live to hear the answer.
            None => {
                purchases::open_checkout(db, stripe, purchase).await.map(drop).map_err(Into::into)
            }
        };
        store::give_up(db, purchase.id, purchases::ASKED_DAYS_MAX).await?;
        checked
    }

    /// Asks about a purchase for the page of its account. `None` if there is no answer in time:
    /// what became of it is unknown.
    pub(crate) async fn check_for_page(&self, purchase: &Purchase) -> Option<CheckoutVerdict> {
        let (stripe, provider_ref) = (self.stripe.as_ref()?, purchase.provider_ref.as_ref()?);
        self.asked.count(&purchase.account_id).ok()?;
        let checked = self.check(stripe, purchase, provider_ref);
        let checked = tokio::time::timeout(PAGE_ASK_MAX, checked).await.ok()?;
        let unknown = |error| tracing::warn!(%error, charge_id = %purchase.id, "state unknown");
        checked.map_err(unknown).ok()
    }

    async fn check(
        &self,
        stripe: &Stripe,
        purchase: &Purchase,
        provider_ref: &str,
    ) -> Result<CheckoutVerdict, PaymentError> {
        let checkout = stripe.get_checkout(provider_ref).await.map_err(WalletError::from)?;
        self.apply(purchase, &checkout).await
    }

    /// Settles or ends `purchase` as `checkout` says, once, however often it is called.
    pub(crate) async fn apply(
        &self,
        purchase: &Purchase,
        checkout: &Checkout,
    ) -> Result<CheckoutVerdict, PaymentError> {
        let verdict = purchase.judge(checkout);
        match &verdict {
            CheckoutVerdict::Paid(taken) => {
                self.charges.settle_purchase(purchase, taken).await?;
                self.pay_reservation(purchase).await?;
            }
            CheckoutVerdict::Ended => {
                store::write_ended(&self.app.db, purchase.id, PurchaseStatus::Expired).await?;
            }
            CheckoutVerdict::Mismatch(reason) => {
                self.app.security_log.record_payment(&PaymentEvent {
                    reason,
                    charge_id: Some(purchase.id.0),
                    provider_ref: &checkout.id,
                });
            }
            CheckoutVerdict::Unpaid | CheckoutVerdict::Processing => {}
        }
        Ok(verdict)
    }

    /// Pays the reservation that the points of a settled purchase were bought for, once. A refusal
    /// is final: the points stay in the wallet. Any other error leaves the payment to the worker.
    async fn pay_reservation(&self, purchase: &Purchase) -> Result<(), sqlx::Error> {
        let Some(reservation_id) = purchase.reservation_id.map(ReservationId) else {
            return Ok(());
        };
        let account_id = purchase.account_id;
        let key = RequestKey::new(account_id.0, purchase.id.0, "charge", &reservation_id);
        match self.payments.pay(account_id, reservation_id, Some(&key)).await {
            Ok(_) => {}
            Err(error) if error.is_final() => {
                tracing::info!(%error, charge_id = %purchase.id, "the points stay in the wallet");
            }
            Err(error) => {
                tracing::warn!(%error, charge_id = %purchase.id, "to be paid later");
                return Ok(());
            }
        }
        store::write_tried(&self.app.db, purchase.id).await
    }

    /// Pays reservations whose purchase was settled by a process that did not live to pay them.
    async fn pay_left(&self) -> Result<(), sqlx::Error> {
        for purchase in store::list_to_pay(&self.app.db, PAGE_ROWS).await? {
            self.pay_reservation(&purchase).await?;
        }
        Ok(())
    }
}
