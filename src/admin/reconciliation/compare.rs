//! Comparison of the provider's lists with what is kept here.

use std::collections::{HashMap, HashSet};

use uuid::Uuid;

use super::{
    model::{DifferenceKind, MoneyDifference, ReconciledSums, Reconciliation},
    store::{KeptCharge, SentPayout},
};
use crate::wallet::charges::{
    payouts::model::PayoutStatus,
    stripe::{lists::ListedPayment, refund::ProviderRefund},
};

/// Comparison under way.
pub(super) struct Compared {
    charges: HashMap<Uuid, KeptCharge>,
    by_name: HashMap<String, Uuid>,
    payouts: HashMap<Uuid, SentPayout>,
    /// Names of payments and refunds that the provider listed.
    seen: HashSet<String>,
    /// Minor units of refunds of staff that are not booked, by the names of the refunds.
    unbooked: HashMap<String, i64>,
    result: Reconciliation,
}

impl Compared {
    pub(super) fn new(
        charges: HashMap<Uuid, KeptCharge>,
        payouts: Vec<SentPayout>,
        unbooked: HashMap<String, i64>,
    ) -> Self {
        let named =
            charges.values().filter_map(|charge| Some((charge.payment_ref.clone()?, charge.id)));
        let by_name = named.collect();
        let payouts = payouts.into_iter().map(|payout| (payout.id, payout)).collect();
        let (seen, result) = Default::default();
        Self { charges, by_name, payouts, seen, unbooked, result }
    }

    /// Notes a payment that the provider lists, and compares it if it is within the span.
    pub(super) fn payment(&mut self, payment: &ListedPayment, is_within: bool) {
        self.seen.extend(payment.payment_intent.clone());
        if !is_within {
            return;
        }
        let currency = payment.currency.to_ascii_uppercase();
        self.sums(&currency).their_paid += payment.amount;
        let named =
            payment.payment_intent.as_ref().and_then(|name| self.by_name.get(name)).copied();
        let charge = named.or_else(|| payment.charge_id()).and_then(|id| self.charges.get(&id));
        let charge = charge.cloned();
        if let Some(kept) = charge.as_ref().filter(|kept| kept.is_settled) {
            self.sums(&kept.currency).our_paid += kept.amount_minor;
        }
        let charge = charge.as_ref();
        let kind = match charge {
            None => Some(DifferenceKind::NotOurs),
            Some(kept) if !kept.is_settled => Some(DifferenceKind::NotSettled),
            Some(kept) if kept.amount_minor != payment.amount || kept.currency != currency => {
                Some(DifferenceKind::Amount)
            }
            Some(kept) if payment.disputed && !kept.was_disputed => Some(DifferenceKind::Dispute),
            Some(kept) if kept.is_unclaimed => Some(DifferenceKind::Unclaimed),
            Some(_) => None,
        };
        if let Some(kind) = kind {
            let difference = MoneyDifference::of_payment(kind, payment, charge);
            self.note(difference);
        }
    }

    /// Notes a refund that the provider lists, and compares it if it is within the span.
    pub(super) fn refund(&mut self, refund: &ProviderRefund, is_within: bool) {
        self.seen.insert(refund.id.clone());
        if !is_within {
            return;
        }
        if !refund.has_failed() {
            self.sums(&refund.currency).their_returned += refund.amount;
        }
        let payout = refund.payout_id().map(|id| self.payouts.get(&id.0).cloned());
        let payout = payout.as_ref().map(Option::as_ref);
        let charge = refund.payment_intent.as_ref().and_then(|name| self.by_name.get(name));
        let charge = charge.and_then(|id| self.charges.get(id)).cloned();
        let charge = charge.as_ref();
        let booked = match (payout, charge) {
            (Some(Some(kept)), _) if kept.status != PayoutStatus::Failed => kept.amount_minor,
            (None, Some(_)) if !refund.has_failed() => {
                refund.amount - self.unbooked.get(&refund.id).copied().unwrap_or_default()
            }
            _ => 0,
        };
        self.sums(&refund.currency).our_returned += booked;
        let kind = match (payout, charge) {
            (Some(Some(kept)), _) => {
                let is_same = kept.amount_minor == refund.amount
                    && (kept.status == PayoutStatus::Failed) == refund.has_failed();
                (!is_same).then_some(DifferenceKind::RefundDiffers)
            }
            (Some(None), _) => Some(DifferenceKind::RefundDiffers),
            (None, Some(_)) if refund.has_failed() || booked == refund.amount => None,
            (None, _) => Some(DifferenceKind::RefundNotBooked),
        };
        if let Some(kind) = kind {
            let minor = payout.flatten().map(|kept| kept.amount_minor);
            let minor = minor.or((booked > 0).then_some(booked));
            let account = payout.flatten().map(|kept| kept.account_id);
            let account = account.or_else(|| charge.map(|kept| kept.account_id));
            self.note(MoneyDifference::of_refund(kind, refund, minor, account));
        }
    }

    /// Notes a settled purchase that the provider does not know.
    pub(super) fn missing(&mut self, charge: &KeptCharge) {
        self.sums(&charge.currency).our_paid += charge.amount_minor;
        self.note(MoneyDifference::of_charge(DifferenceKind::Missing, charge));
    }

    /// Notes a payout that the provider does not know.
    pub(super) fn refund_missing(&mut self, payout: &SentPayout) {
        self.sums(&payout.currency).our_returned += payout.amount_minor;
        self.note(MoneyDifference::of_payout(DifferenceKind::RefundMissing, payout));
    }

    fn sums(&mut self, currency: &str) -> &mut ReconciledSums {
        self.result.sums.entry(currency.to_ascii_uppercase()).or_default()
    }

    /// Whether the provider listed the payment or refund with this name.
    pub(super) fn has_seen(&self, name: &str) -> bool {
        self.seen.contains(name)
    }

    fn note(&mut self, difference: MoneyDifference) {
        self.result.differences.push(difference);
    }

    /// Returns the result, with the differences by kind.
    pub(super) fn done(mut self, is_whole: bool) -> Reconciliation {
        self.result.differences.sort_by_key(|difference| difference.kind);
        Reconciliation { is_whole, ..self.result }
    }
}
