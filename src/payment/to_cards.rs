//! Part of a refund that goes on to the cards: the points that each payer had bought, paid out of the payer's own
//! purchases in the transaction of the refund.

use std::collections::HashMap;

use uuid::Uuid;

use crate::{
    accounts::AccountId,
    catalog::RefundTarget,
    infra::postgres::Connection,
    points::Points,
    reservation::ReservationId,
    wallet::{
        RefundCredit, WalletError,
        charges::payouts::{self, PayoutReason, plan::PayablePurchase},
    },
};

/// Payers with the bought points of their refunds, and their purchases, which are locked.
#[derive(Debug, Default)]
pub(super) struct ToCards {
    wanted: Vec<(AccountId, i64)>,
    purchases: HashMap<AccountId, Vec<PayablePurchase>>,
}

impl ToCards {
    /// Locks the purchases of the payers of `refunds`, before these are credited; none for a refund to wallets.
    pub(super) async fn lock(
        tx: &mut Connection,
        target: RefundTarget,
        refunds: &[RefundCredit],
    ) -> Result<Self, WalletError> {
        if target == RefundTarget::Wallet {
            return Ok(Self::default());
        }
        let mut payers: Vec<AccountId> = refunds.iter().map(|refund| refund.payer_id).collect();
        payers.sort_unstable_by_key(|payer_id| payer_id.0);
        payers.dedup();
        let purchases = payouts::lock_payable(tx, &payers).await?;
        let mut wanted = Vec::new();
        for payer_id in payers.into_iter().filter(|payer_id| purchases.contains_key(payer_id)) {
            // What a payment took never changes, so no lock is needed for it.
            let origins = payouts::origins_of(&mut *tx, payer_id).await?;
            let mut of_payments: HashMap<Uuid, i64> = HashMap::new();
            for refund in refunds.iter().filter(|refund| refund.payer_id == payer_id) {
                *of_payments.entry(refund.payment_id).or_default() += refund.amount.get();
            }
            let bought =
                of_payments.iter().map(|(id, points)| origins.bought_in_refund(*id, *points));
            wanted.push((payer_id, bought.sum()));
        }
        Ok(Self { wanted, purchases })
    }

    /// Pays the bought points of the credited refunds out, as part of the refund of a reservation if one is named, and
    /// returns how many they are of each payer.
    pub(super) async fn pay_out(
        self,
        tx: &mut Connection,
        reservation_id: Option<ReservationId>,
    ) -> Result<HashMap<AccountId, Points>, WalletError> {
        let reason = PayoutReason { reservation_id: reservation_id.map(|id| id.0), retry_of: None };
        let mut of_payers = HashMap::new();
        for (payer_id, bought) in self.wanted {
            let Some(purchases) = self.purchases.get(&payer_id) else { continue };
            let paid = payouts::pay_out(tx, payer_id, bought, purchases, reason).await?;
            of_payers.insert(payer_id, paid.points);
        }
        Ok(of_payers)
    }
}
