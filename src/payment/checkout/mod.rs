//! Checkouts: the outcome of purchases of points on the page of a payment provider, and the payment
//! of the reservation, or of the friend's share, that the points were bought for.
//!
//! The news of a payment arrives in three ways, in any order and any number of times: by the
//! provider's message ([`pages::webhook`]), by the page to which the buyer returns ([`pages`]), and
//! by a worker that asks the provider for purchases without news ([`Checkouts::check_due`]). Each
//! passes the checkout to [`Checkouts::apply`].
//!
//! Of money that was returned, or came back, messages tell, and a worker that asks about settled purchases
//! ([`Checkouts::check_returned`]). Money that this office sends back is sent by a worker of its own
//! ([`Checkouts::send_payouts`]), and the same messages say what became of it.
//!
//! # Invariants
//!
//! * A purchase is settled once, however often and in whichever way its news arrives, and wherever
//!   a process dies.
//! * No points are credited for another amount, another currency or an unknown purchase.
//! * A missing answer of the provider does not end a purchase: the provider is asked again, for
//!   [`purchases::ASKED_DAYS_MAX`] days.
//! * A checkout does not extend the hold. If the hold has ended when the points arrive, they stay
//!   in the wallet.
//!
//! # Concurrency
//!
//! The transaction that settles locks the purchase; later ones find it settled. The reservation or share is
//! paid after it, under a request key that is derived from the purchase, so it is paid once. If a
//! process dies in between, the worker pays the reservation.

pub mod pages;
mod payouts;
mod returned;

use std::{num::NonZeroU32, sync::Arc, time::Duration};

use chrono::{DateTime, Utc};
use futures_util::{StreamExt as _, stream};
use governor::Quota;

use super::{
    batch::Payments,
    error::PaymentError,
    shares::{self, ShareError},
};
use crate::{
    accounts::AccountId,
    app::App,
    infra::{idempotency::RequestKey, limits::Limit, security_log::PaymentEvent, sweep::Sweep},
    reservation::{ReservationId, is_awake},
    wallet::{
        Charges, Provider, WalletError,
        charges::{
            purchases::{
                self,
                model::{BoughtFor, CheckoutVerdict, Purchase, PurchaseStatus},
                store,
            },
            stripe::{Stripe, checkout::Checkout},
        },
    },
};

/// Bounds of the claims of one tick.
const DUE: Sweep = Sweep { rows_max: 20, parts_max: 20 };
/// Conversations with the provider at once.
const ASKED_AT_ONCE_MAX: usize = 8;
/// Requests to the provider about the purchases of one account that its pages cause, in a burst and
/// a second, so that a page that is reloaded repeatedly does not use up the provider's rate limit.
const ASKED_BURST: NonZeroU32 = NonZeroU32::new(10).unwrap();
const ASKED_PER_SECOND: NonZeroU32 = NonZeroU32::MIN;
/// Longest wait of a page for the provider, below the deadline of a read.
const PAGE_ASK_MAX: Duration = Duration::from_millis(1_200);

/// Checkouts of one instance.
#[derive(Clone, Debug)]
pub struct Checkouts {
    app: App,
    charges: Charges,
    payments: Payments,
    /// Client of the provider; `None` where points are free of charge.
    stripe: Option<Arc<Stripe>>,
    asked: Arc<Limit<AccountId>>,
}

impl Checkouts {
    /// Creates the checkouts of one instance.
    pub fn new(app: &App, provider: &Provider, charges: &Charges, payments: &Payments) -> Self {
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

    /// Returns when the provider last answered this instance; `None` if it never did, or if there is none.
    pub fn answered_at(&self) -> Option<DateTime<Utc>> {
        self.stripe.as_ref()?.answered_at()
    }

    /// Asks the provider about open purchases without news, and pays reservations that an instance
    /// left unpaid: one tick of the worker. Instances may run it concurrently.
    pub async fn check_due(&self) -> Result<(), sqlx::Error> {
        self.asked.forget();
        let Some(stripe) = &self.stripe else { return Ok(()) };
        let check = |due: Purchase| async move {
            // A purchase that cannot be checked must not keep the others from being checked.
            if let Err(error) = self.check_late(stripe, &due).await {
                tracing::warn!(%error, charge_id = %due.id, "a purchase is asked about again");
            }
        };
        DUE.parts(|rows_max| async move {
            let claimed = store::claim_due(&self.app.db, rows_max).await?;
            let n_claimed = claimed.len();
            stream::iter(claimed).for_each_concurrent(ASKED_AT_ONCE_MAX, check).await;
            Ok::<_, sqlx::Error>(n_claimed)
        })
        .await?;
        self.pay_left().await
    }

    /// Asks about a purchase without news. A purchase that is still open after
    /// [`purchases::ASKED_DAYS_MAX`] days fails.
    async fn check_late(&self, stripe: &Stripe, purchase: &Purchase) -> Result<(), PaymentError> {
        let db = &self.app.db;
        let checked = match &purchase.provider_ref {
            Some(provider_ref) => self.check(stripe, purchase, provider_ref).await.map(drop),
            // The process that made the checkout died before it stored the provider's answer.
            None => {
                purchases::open_checkout(db, stripe, purchase).await.map(drop).map_err(Into::into)
            }
        };
        store::give_up(db, purchase.id, purchases::ASKED_DAYS_MAX).await?;
        checked
    }

    /// Asks about a purchase for the page of its account. `None` if there is no answer in time: the
    /// state of the purchase is unknown.
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
    pub async fn apply(
        &self,
        purchase: &Purchase,
        checkout: &Checkout,
    ) -> Result<CheckoutVerdict, PaymentError> {
        let verdict = purchase.judge(checkout);
        match &verdict {
            CheckoutVerdict::Paid(taken) => {
                self.charges.settle_purchase(purchase, taken).await?;
                self.pay_bought(purchase).await?;
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

    /// Pays the reservation or the share that the points of a settled purchase were bought for, once. A refusal
    /// is final: the points stay in the wallet. Any other error leaves the payment to the worker.
    async fn pay_bought(&self, purchase: &Purchase) -> Result<(), sqlx::Error> {
        let Some(bought_for) = purchase.bought_for() else { return Ok(()) };
        let mut paid = self.try_to_pay(purchase, bought_for).await;
        if paid.as_ref().is_err_and(ShareError::is_hold_over) {
            if !is_awake(&self.app.db).await? {
                // The hold may get its time back.
                tracing::info!(charge_id = %purchase.id, "to be paid once the lost time is back");
                return Ok(());
            }
            // That time may have come back since.
            paid = self.try_to_pay(purchase, bought_for).await;
        }
        match paid {
            Ok(()) => {}
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

    async fn try_to_pay(
        &self,
        purchase: &Purchase,
        bought_for: BoughtFor,
    ) -> Result<(), ShareError> {
        let account_id = purchase.account_id;
        let key = RequestKey::new(account_id.0, purchase.id.0, "charge", &bought_for.id());
        match bought_for {
            BoughtFor::Reservation(id) => {
                let paying = self.payments.pay(account_id, ReservationId(id), Some(&key));
                paying.await.map(drop).map_err(ShareError::from)
            }
            BoughtFor::Share(id) => {
                shares::pay_bought(&self.app, account_id, id, &key).await.map(drop)
            }
        }
    }

    /// Pays reservations and shares whose purchase was settled by a process that did not live to pay them.
    async fn pay_left(&self) -> Result<(), sqlx::Error> {
        for purchase in store::list_to_pay(&self.app.db, DUE.rows_max).await? {
            self.pay_bought(&purchase).await?;
        }
        Ok(())
    }
}
