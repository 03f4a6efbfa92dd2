//! Payment provider of this deployment: takes the money for points.

use std::sync::Arc;

use super::{model::ChargeAmount, stripe::Stripe};
use crate::{
    config::{PaymentConfig, ProviderConfig},
    infra::tally::Tally,
    text::prices::Money,
};

/// Payment provider of this deployment, registered beside `App`.
#[derive(Clone, Debug)]
pub enum Provider {
    /// Takes no money and confirms at once; every page with a charge form says so.
    Demo,
    /// Stripe Checkout: sends the browser to its own page, and reports later that the money is
    /// there.
    Stripe(Arc<Stripe>),
}

impl Provider {
    /// Whether points are sold for money, so that there are cards to which it may go back.
    pub fn takes_money(&self) -> bool {
        matches!(self, Self::Stripe(_))
    }

    /// Creates the provider that `config` names; its conversations are counted in `tally`.
    pub fn of(config: &PaymentConfig, tally: &Tally) -> Result<Self, reqwest::Error> {
        Ok(match &config.provider {
            ProviderConfig::Demo => Self::Demo,
            ProviderConfig::Stripe(stripe) => {
                Self::Stripe(Arc::new(Stripe::new(stripe, config.price, tally)?))
            }
        })
    }

    /// Returns the locale key of its name.
    pub fn name_key(&self) -> &'static str {
        match self {
            Self::Demo => "wallet-provider-demo",
            Self::Stripe(_) => "wallet-provider-stripe",
        }
    }

    /// Returns the locale key of a note shown before paying.
    pub fn note_key(&self) -> &'static str {
        match self {
            Self::Demo => "wallet-provider-demo-note",
            Self::Stripe(_) => "wallet-provider-stripe-note",
        }
    }

    /// Returns the price of `amount` points; `None` where they cost nothing.
    pub fn price(&self, amount: ChargeAmount) -> Option<Money> {
        match self {
            Self::Demo => None,
            Self::Stripe(stripe) => Some(Money::of(amount.points().get(), stripe.price)),
        }
    }
}
