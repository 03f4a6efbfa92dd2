//! Answers of Stripe about the money of a payment.

use chrono::{DateTime, Utc};
use serde::Deserialize;

use super::event::{Dispute, Payment};
use crate::wallet::charges::reversals::news::{MoneyFact, MoneyNews, Trend};

/// Payment with the charge that took its money (a `PaymentIntent`).
#[derive(Debug, Deserialize)]
pub(super) struct Intent {
    latest_charge: Option<Payment>,
}

/// Disputes of one payment.
#[derive(Debug, Deserialize)]
pub(super) struct Disputes {
    data: Vec<Dispute>,
}

/// Returns the refunded amount and the disputes of the answers as news of the moment `at`.
pub(super) fn news(
    payment_ref: &str,
    intent: &Intent,
    disputes: &Disputes,
    at: DateTime<Utc>,
) -> Vec<MoneyNews> {
    let news = |currency: &str, fact| MoneyNews {
        payment_ref: payment_ref.to_owned(),
        currency: currency.to_owned(),
        happened_at: Some(at),
        fact,
    };
    let refunded = intent.latest_charge.iter().map(|payment| {
        let (minor, trend) = (payment.amount_refunded, Trend::Asked);
        news(&payment.currency, MoneyFact::Refunded { minor, trend })
    });
    let lost = disputes.data.iter().filter_map(|dispute| {
        let fact = dispute.fact_so_far()?;
        Some(news(&dispute.currency, fact))
    });
    refunded.chain(lost).collect()
}
