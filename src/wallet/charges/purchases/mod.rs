//! Purchases: charges that are paid with money on the page of a payment provider.
//!
//! A **purchase** is a row of `charges`: an account, its points, and their price when the order was
//! made. Its **checkout** is the provider's page for it. It is **settled** when its points are
//! credited, by [`Charges::settle_purchase`](super::Charges::settle_purchase).
//!
//! # Invariants
//!
//! * A purchase is committed before the provider is asked, and never deleted: no money can arrive for
//!   an order without a row.
//! * What was agreed (points, amount, currency) never changes, and a status only goes forward:
//!   `charges_only_forward`.
//! * One order form makes one purchase (`charges_request_key`), one purchase one checkout: its id
//!   is the idempotency key at the provider.
//! * An answer that did not arrive means *unknown*. Only an answer of the provider ends a purchase;
//!   one without any answer ends after [`ASKED_DAYS_MAX`] days.
//! * Money that arrives later than that still becomes points; where the account was deleted before it
//!   came, it becomes none, and is listed for administrators until it is returned at the provider.
//!
//! # Concurrency
//!
//! The provider is never asked inside a transaction. The webhook, the page and the worker each settle
//! a purchase whose payment they learn of: the first to lock its row credits the points, and the
//! others find it settled. Workers claim due purchases with `skip locked` and move them behind their
//! next time in the same statement, so that instances share them.

pub mod model;
pub mod store;

use self::model::{Purchase, PurchaseOrder, PurchaseStatus};
use super::{
    model::Charging,
    stripe::{ProviderError, Stripe},
};
use crate::{
    infra::{idempotency::KeyError, postgres::Pool},
    wallet::error::WalletError,
};

/// How long a checkout can be paid, in seconds. The provider demands 30 minutes or more from the
/// moment when it is created.
const CHECKOUT_SECS: f64 = 3_600.0;
/// Age of a purchase up to which its provider is asked, in days. The slowest payments, by bank
/// debit, take two weeks.
pub const ASKED_DAYS_MAX: i32 = 30;

/// Orders points, and returns where they are paid for. An order that was made before returns its
/// checkout.
pub async fn begin(
    db: &Pool,
    stripe: &Stripe,
    order: &PurchaseOrder,
) -> Result<Charging, WalletError> {
    let inserted = store::insert_purchase(db, order, CHECKOUT_SECS).await?;
    let purchase = if let Some(purchase) = inserted {
        purchase
    } else {
        let found = store::find_ordered(db, order.account_id, order.request_key).await?;
        found.ok_or(WalletError::Closed)?
    };
    if purchase.points != order.amount.points() {
        return Err(KeyError::Reused.into());
    }
    match (purchase.status, &purchase.checkout_url) {
        (PurchaseStatus::Open, Some(href)) => Ok(Charging::Elsewhere { location: href.clone() }),
        (PurchaseStatus::Open, None) => {
            let location = open_checkout(db, stripe, &purchase).await?;
            Ok(Charging::Elsewhere { location: location.unwrap_or_else(|| purchase.id.path()) })
        }
        _ => Ok(Charging::Elsewhere { location: purchase.id.path() }),
    }
}

/// Asks the provider for the checkout of an open purchase, and keeps its name and its address.
/// Returns the address; `None` if the checkout has ended. A purchase that the provider refuses has
/// failed.
pub async fn open_checkout(
    db: &Pool,
    stripe: &Stripe,
    purchase: &Purchase,
) -> Result<Option<String>, WalletError> {
    match stripe.create_checkout(purchase).await {
        Ok(checkout) => {
            let href = checkout.url.as_deref();
            store::write_checkout(db, purchase.id, &checkout.id, href).await?;
            Ok(checkout.url)
        }
        Err(error) => {
            tracing::warn!(%error, charge_id = %purchase.id, "no checkout was opened");
            if matches!(error, ProviderError::Refused(_)) {
                store::write_ended(db, purchase.id, PurchaseStatus::Failed).await?;
            }
            Err(error.into())
        }
    }
}
