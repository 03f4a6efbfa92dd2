//! Reconciliation: the payments and refunds of a day, or of an hour, as the payment provider lists them and as they are
//! kept here, and what to do about each difference. Read only.
//!
//! # Invariants
//!
//! * A provider that does not answer is told as such: what was not compared is never shown as equal.
//! * Each payment of the provider is compared on the day on which it was paid there. Whether the provider lacks one of
//!   ours is asked on the day on which it was ordered here; so one around midnight is found from either side.
//! * A refund that staff made at the provider counts as booked as far as the payment's refunds, of whatever day, add up
//!   to what is booked of it; the newest are the ones that are not.
//! * A list has a bound, and the page says when it is reached.

mod compare;
pub mod model;
pub mod pages;
mod store;

use std::{
    collections::{BTreeSet, HashMap},
    time::Duration,
};

use chrono::{DateTime, TimeDelta, Utc};
use tokio::time::timeout;
use uuid::Uuid;

use self::{compare::Compared, model::Reconciliation, store::KeptCharge};
use crate::{
    infra::postgres::Pool,
    wallet::{
        ProviderError, WalletError,
        charges::{
            reversals::losses::returned_by_staff,
            stripe::{Stripe, lists::ListedPayment, refund::ProviderRefund},
        },
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
    let is_within = |secs: i64| (from.timestamp()..until.timestamp()).contains(&secs);
    let of_staff = |refund: &&ProviderRefund| is_within(refund.created) && is_of_staff(refund);
    let of_staff = refunds.rows.iter().filter(of_staff);
    let of_staff: BTreeSet<&String> =
        of_staff.filter_map(|refund| refund.payment_intent.as_ref()).collect();
    let (by_staff, are_all) = list_by_staff(stripe, &of_staff).await?;
    let (names, ids) = (names.collect::<Vec<_>>(), ids.collect::<Vec<_>>());
    let found = store::list_found(db, &names, &ids).await?;
    let charges: HashMap<_, KeptCharge> =
        found.into_iter().map(|charge| (charge.id, charge)).collect();
    let sent = refunds.rows.iter().filter_map(|refund| refund.payout_id().map(|id| id.0));
    let payouts = store::list_payouts(db, &sent.collect::<Vec<_>>()).await?;
    let unbooked = list_unbooked(db, &charges, by_staff).await?;
    let mut compared = Compared::new(charges, payouts, unbooked);
    for payment in payments.rows.iter().filter(|payment| payment.status == "succeeded") {
        compared.payment(payment, is_within(payment.created));
    }
    for refund in &refunds.rows {
        compared.refund(refund, is_within(refund.created));
    }
    let mut is_whole = payments.is_whole && refunds.is_whole && are_all;
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

/// Whether staff made a refund at the provider, and it did not fail.
fn is_of_staff(refund: &ProviderRefund) -> bool {
    refund.payout_id().is_none() && !refund.has_failed()
}

/// Lists the refunds that staff made of each of `payments`, of whatever day, and whether none of the payments is left out.
async fn list_by_staff(
    stripe: &Stripe,
    payments: &BTreeSet<&String>,
) -> Result<(Vec<(String, Vec<ProviderRefund>)>, bool), ProviderError> {
    let (mut found, mut are_all) = (Vec::new(), payments.len() <= ASKED_MAX);
    for name in payments.iter().take(ASKED_MAX) {
        match stripe.list_refunds_of(name).await? {
            Some(refunds) => {
                let of_staff = refunds.into_iter().filter(is_of_staff).collect();
                found.push(((*name).clone(), of_staff));
            }
            None => are_all = false,
        }
    }
    Ok((found, are_all))
}

/// Returns what is not booked of the refunds that staff made, by their names. Booked are the earliest.
async fn list_unbooked(
    db: &Pool,
    charges: &HashMap<Uuid, KeptCharge>,
    by_staff: Vec<(String, Vec<ProviderRefund>)>,
) -> Result<HashMap<String, i64>, sqlx::Error> {
    let named = charges.values().filter_map(|kept| Some((kept.payment_ref.as_deref()?, kept.id)));
    let named: HashMap<&str, Uuid> = named.collect();
    let ids: Vec<Uuid> =
        by_staff.iter().filter_map(|(name, _)| named.get(name.as_str()).copied()).collect();
    let booked = returned_by_staff(db, &ids).await?;
    let mut unbooked = HashMap::new();
    for (name, mut refunds) in by_staff {
        let left = named.get(name.as_str()).and_then(|id| booked.get(id));
        let mut left = left.copied().unwrap_or_default();
        refunds.sort_by_key(|refund| refund.created);
        for refund in refunds {
            let is_booked = refund.amount.min(left);
            left -= is_booked;
            unbooked.insert(refund.id, refund.amount - is_booked);
        }
    }
    Ok(unbooked)
}

/// Whether the provider does not know what it was asked about.
fn is_unknown(answer: &Result<(), ProviderError>) -> Result<bool, ProviderError> {
    match answer {
        Ok(()) => Ok(false),
        Err(ProviderError::Refused(_)) => Ok(true),
        Err(unknown @ ProviderError::Unknown(_)) => Err(unknown.clone()),
    }
}
