//! Reconciliation: the payments and refunds of a day, or of an hour, as the payment provider lists them and as they are
//! kept here, and what to do about each difference. Read only.
//!
//! # Invariants
//!
//! * A provider that does not answer is told as such: what was not compared is never shown as equal.
//! * Each payment of the provider is compared on the day on which it was paid there. Whether the provider lacks one of
//!   ours is asked on the day on which it was ordered here; so one around midnight is found from either side.
//! * A list has a bound, and the page says when it is reached.

mod compare;
pub mod model;
pub mod pages;
mod store;

use std::{collections::HashMap, time::Duration};

use chrono::{DateTime, TimeDelta, Utc};
use tokio::time::timeout;

use self::{compare::Compared, model::Reconciliation, store::KeptCharge};
use crate::{
    infra::postgres::Pool,
    wallet::{
        ProviderError, WalletError,
        charges::stripe::{Stripe, lists::ListedPayment},
    },
};

/// Upper bound of all conversations of one comparison, below the long deadline of a request.
const TALK_MAX: Duration = Duration::from_secs(13);
/// Time in which the lists are read; what they have beyond it is left out, and said to be.
const LISTS_MAX: Duration = Duration::from_secs(8);
/// Time by which two clocks may differ.
const CLOCKS: TimeDelta = TimeDelta::minutes(5);
/// Rows of ours that the provider is asked about one by one, because its list does not have them.
const ASKED_MAX: usize = 10;

/// Compares what was paid and sent back from `from` until before `until`.
pub(crate) async fn reconcile(
    db: &Pool,
    stripe: &Stripe,
    from: DateTime<Utc>,
    until: DateTime<Utc>,
) -> Result<Reconciliation, WalletError> {
    let talk = timeout(TALK_MAX, compared(db, stripe, from, until));
    match talk.await {
        Ok(reconciled) => reconciled,
        Err(_) => Err(ProviderError::Unknown("its lists took too long".to_owned()).into()),
    }
}

async fn compared(
    db: &Pool,
    stripe: &Stripe,
    from: DateTime<Utc>,
    until: DateTime<Utc>,
) -> Result<Reconciliation, WalletError> {
    let (begin, end) = (from - CLOCKS, until + CLOCKS);
    let (payments, refunds) = tokio::try_join!(
        stripe.list_payments(begin, end, LISTS_MAX),
        stripe.list_refunds(begin, end, LISTS_MAX)
    )?;
    // Read behind the lists: what the provider has told of by then is known here or will be a difference.
    let names = payments.rows.iter().filter_map(|payment| payment.payment_intent.clone());
    let names = names.chain(refunds.rows.iter().filter_map(|refund| refund.payment_intent.clone()));
    let ids = payments.rows.iter().filter_map(ListedPayment::charge_id);
    let (names, ids) = (names.collect::<Vec<_>>(), ids.collect::<Vec<_>>());
    let found = store::list_found(db, &names, &ids).await?;
    let charges: HashMap<_, KeptCharge> =
        found.into_iter().map(|charge| (charge.id, charge)).collect();
    let sent = refunds.rows.iter().filter_map(|refund| refund.payout_id().map(|id| id.0));
    let payouts = store::list_payouts(db, &sent.collect::<Vec<_>>()).await?;
    let mut compared = Compared::new(charges, payouts);
    let is_within = |secs: i64| (from.timestamp()..until.timestamp()).contains(&secs);
    for payment in payments.rows.iter().filter(|payment| payment.status == "succeeded") {
        compared.payment(payment, is_within(payment.created));
    }
    for refund in &refunds.rows {
        compared.refund(refund, is_within(refund.created));
    }
    let mut is_whole = payments.is_whole && refunds.is_whole;
    let kept = store::list_settled(db, from, until, store::ROWS_MAX + 1).await?;
    let sent = store::list_sent(db, from, until, store::ROWS_MAX + 1).await?;
    is_whole &= kept.len() <= store::ROWS_COUNT && sent.len() <= store::ROWS_COUNT;
    let mut asked = 0;
    for charge in &kept {
        let Some(name) = charge.payment_ref.as_deref().filter(|name| !compared.has_seen(name))
        else {
            continue;
        };
        is_whole &= asked < ASKED_MAX;
        if asked < ASKED_MAX && is_unknown(&stripe.list_news(name).await.map(drop))? {
            compared.missing(charge);
        }
        asked += 1;
    }
    for payout in &sent {
        let Some(name) = payout.refund_ref.as_deref().filter(|name| !compared.has_seen(name))
        else {
            continue;
        };
        is_whole &= asked < ASKED_MAX;
        if asked < ASKED_MAX && is_unknown(&stripe.get_refund(name).await.map(drop))? {
            compared.refund_missing(payout);
        }
        asked += 1;
    }
    Ok(compared.done(is_whole))
}

/// Whether the provider does not know what it was asked about.
fn is_unknown(answer: &Result<(), ProviderError>) -> Result<bool, ProviderError> {
    match answer {
        Ok(()) => Ok(false),
        Err(ProviderError::Refused(_)) => Ok(true),
        Err(unknown @ ProviderError::Unknown(_)) => Err(unknown.clone()),
    }
}
