//! Charges: points bought through a payment provider.
//!
//! A **charge** names an account and an amount. A **provider** takes the money on its own pages;
//! such a charge is a **purchase** ([`purchases`]). The demo provider takes none: its charge has an
//! entry in the ledger, of a kind of its own, and no row besides, so it costs no further statement.
//! A confirmed charge is **settled**: its points are credited. The charges that arrive while others
//! are written are settled together after them, in one transaction (`settlement`).
//!
//! # Invariants
//!
//! * A charge is settled once: under its request key, and under its own id in the wallet's history.
//!   A purchase is settled in the transaction that changes its status, from each of the ways to settle
//!   it.
//! * Several charges of one wallet in one transaction become consecutive versions of it, in order of
//!   arrival.
//! * A charge whose data the database refuses fails alone, never the others of its batch.
//! * A charge whose commit got no answer is settled again with the same id, so it counts once.
//!
//! # Concurrency
//!
//! Batches of one instance follow one another ([`batcher`](crate::infra::batcher)), each beside the
//! commit of the one before; one that has a wallet of that commit waits for its end. A batch waits for
//! no wallet that another transaction has locked: such charges leave the batch, and a task for each such
//! wallet waits for it. So no charge starves on a busy wallet, and a busy wallet delays no other.

mod batch;
pub mod model;
pub mod pages;
pub mod payouts;
pub mod provider;
pub mod purchases;
pub mod reversals;
mod settlement;
mod store;
pub mod stripe;

use std::sync::Arc;

use tokio::runtime::Handle;
use uuid::Uuid;

use self::{
    batch::ChargeBatch,
    model::{Charge, ChargeAmount, ChargeRequest, Charged, TakenPayment},
    purchases::model::Purchase,
};
use super::error::WalletError;
use crate::infra::{batcher::Batcher, idempotency::RequestKey, postgres::Pool};

/// Refuses points for a reservation that is not held any more: a page that was left open must not take
/// money for places that were given back. A request that charged before passes, and is answered as then.
pub async fn require_held(
    db: &Pool,
    charge: &Charge,
    reservation_id: Option<Uuid>,
) -> Result<(), WalletError> {
    let Some(reservation_id) = reservation_id else { return Ok(()) };
    let (account_id, key) = (charge.account_id, charge.charge_id);
    match store::is_for_ended_hold(db, account_id, reservation_id, key).await? {
        true => Err(WalletError::HoldOver { reservation_id }),
        false => Ok(()),
    }
}

/// Charges of one instance.
#[derive(Clone, Debug)]
pub struct Charges {
    batcher: Arc<Batcher<ChargeBatch>>,
}

impl Charges {
    /// Creates the charges of one instance; batches run on the runtime of the caller.
    pub fn new(db: &Pool) -> Self {
        Self { batcher: Arc::new(Batcher::new(ChargeBatch::new(db), Handle::current())) }
    }

    /// Credits a charge without money, once: a charge that was settled before is
    /// [`WalletError::MovedBefore`], or returns its first result under the same `key`.
    pub async fn settle(
        &self,
        charge: &Charge,
        key: Option<&RequestKey>,
    ) -> Result<Charged, WalletError> {
        self.submit(charge, key, None).await
    }

    /// Credits the points of a purchase that was paid, once, however often it is called: a purchase
    /// that was settled before returns its first result.
    pub async fn settle_purchase(
        &self,
        purchase: &Purchase,
        taken: &TakenPayment,
    ) -> Result<Charged, WalletError> {
        let amount = ChargeAmount::new(purchase.points.get()).ok_or(WalletError::TooManyPoints)?;
        let (charge_id, account_id) = (purchase.id.0, purchase.account_id);
        self.submit(&Charge { charge_id, account_id, amount }, None, Some(taken)).await
    }

    async fn submit(
        &self,
        charge: &Charge,
        key: Option<&RequestKey>,
        taken: Option<&TakenPayment>,
    ) -> Result<Charged, WalletError> {
        let request = || ChargeRequest {
            charge: charge.clone(),
            key: key.cloned(),
            taken: taken.cloned(),
            is_again: false,
        };
        self.batcher.submit((), request).await?
    }
}
