//! Who takes the money for points.
//!
//! A **provider** is asked before the ledger is touched. One that confirms at once
//! answers [`Begun::Confirmed`]. One that sends the browser to its own page answers
//! [`Begun::Elsewhere`]; when its signed message arrives, the route that verified the
//! signature hands the same [`Charge`] to [`crate::wallet::settle_charge`], which writes it
//! once, however often the message is delivered. The ledger knows neither.

use std::{fmt, sync::Arc};

use futures_util::future::{BoxFuture, FutureExt as _, ready};

use crate::wallet::model::Charge;

/// Takes money for points.
pub trait PaymentProvider: fmt::Debug + Send + Sync {
    /// The locale key of its name.
    fn name_key(&self) -> &'static str;

    /// The locale key of what a person should know before paying.
    fn note_key(&self) -> &'static str;

    /// Whether points come without money, which is for trying things only.
    fn is_simulated(&self) -> bool {
        false
    }

    /// Asks for the money of `charge`. Asked again with the same `charge_id`, the
    /// provider takes it once.
    fn begin<'a>(&'a self, charge: &'a Charge) -> BoxFuture<'a, Result<Begun, ProviderAway>>;
}

/// What became of asking.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Begun {
    /// The money is there.
    Confirmed,
    /// The person goes on there; the provider's message confirms it later.
    Elsewhere {
        /// Where the browser is sent.
        location: String,
    },
}

/// The provider did not answer, so nothing was charged.
#[derive(Clone, Copy, Debug, thiserror::Error)]
#[error("the payment provider did not answer")]
pub struct ProviderAway;

/// The provider of this deployment, registered beside `App`.
#[derive(Clone, Debug)]
pub struct Provider(pub Arc<dyn PaymentProvider>);

impl Default for Provider {
    fn default() -> Self {
        Self(Arc::new(Demo))
    }
}

/// Takes no money and confirms at once; the page says so.
#[derive(Clone, Copy, Debug)]
pub struct Demo;

impl PaymentProvider for Demo {
    fn name_key(&self) -> &'static str {
        "wallet-provider-demo"
    }

    fn note_key(&self) -> &'static str {
        "wallet-provider-demo-note"
    }

    fn is_simulated(&self) -> bool {
        true
    }

    fn begin<'a>(&'a self, _: &'a Charge) -> BoxFuture<'a, Result<Begun, ProviderAway>> {
        ready(Ok(Begun::Confirmed)).boxed()
    }
}
