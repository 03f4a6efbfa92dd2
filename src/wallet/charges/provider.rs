//! Payment provider: takes the money for points.
//!
//! A **provider** is asked before the ledger is changed. One that confirms at once returns
//! [`Begun::Confirmed`]. One that sends the browser to its own page returns [`Begun::Elsewhere`];
//! when its signed message arrives, the route that verified the signature passes the same
//! [`Charge`] to [`crate::wallet::Charges::settle`], which writes it once, however often the message
//! is delivered. The ledger depends on no particular provider.

use std::{fmt, sync::Arc};

use futures_util::future::{BoxFuture, FutureExt as _, ready};

use crate::wallet::charges::model::{Charge, ProviderAway};

/// Payment provider that takes money for points.
pub trait PaymentProvider: fmt::Debug + Send + Sync {
    /// Returns the locale key of its name.
    fn name_key(&self) -> &'static str;

    /// Returns the locale key of a note shown before paying.
    fn note_key(&self) -> &'static str;

    /// Whether points come without money, which is for tests and demonstrations only.
    fn is_simulated(&self) -> bool {
        false
    }

    /// Asks for the money of `charge`. Repeated calls with the same `charge_id` take it once.
    fn begin<'a>(&'a self, charge: &'a Charge) -> BoxFuture<'a, Result<Begun, ProviderAway>>;
}

/// Result of asking a provider.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Begun {
    /// The provider has taken the money.
    Confirmed,
    /// The payment continues on the provider's page; its message confirms it later.
    Elsewhere {
        /// Address to which the browser is sent.
        location: String,
    },
}

/// Provider of this deployment, registered beside `App`.
#[derive(Clone, Debug)]
pub(crate) struct Provider(pub Arc<dyn PaymentProvider>);

impl Default for Provider {
    fn default() -> Self {
        Self(Arc::new(Demo))
    }
}

/// Provider that takes no money and confirms at once; the page says so.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Demo;

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
