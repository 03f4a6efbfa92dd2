//! Charges: points bought through a payment provider.
//!
//! A **charge** names an account and an amount. A **provider** takes the money, at once or on its
//! own pages. A confirmed charge is **settled**: its points are credited. The charges that arrive
//! while others are written are settled together after them, in one transaction (`settlement`).
//!
//! # Invariants
//!
//! * A charge is settled once: under its request key, and under its own id in the wallet's history.
//! * Several charges of one wallet in one transaction become consecutive versions of it, in order of
//!   arrival.
//! * A charge whose data the database refuses fails alone, never the others of its batch.
//! * A charge whose commit got no answer is settled again with the same id, so it counts once.
//!
//! # Concurrency
//!
//! Batches of one instance and shard follow one another ([`batcher`](crate::infra::batcher)). A
//! batch waits for no wallet: charges of a wallet that another transaction holds leave the batch,
//! and a task for each such wallet waits for it. So no charge starves on a busy wallet, and a busy
//! wallet delays no other.

mod batch;
pub(crate) mod model;
pub(crate) mod pages;
pub(crate) mod provider;
mod settlement;
mod store;

use std::sync::Arc;

use tokio::runtime::Handle;

use self::{
    batch::ChargeBatch,
    model::{Charge, ChargeRequest, Charged, Charging},
    provider::{Begun, Provider},
};
use super::error::WalletError;
use crate::infra::{
    batcher::{Batcher, shard_of},
    idempotency::RequestKey,
    postgres::Pool,
};

/// Batches of charges that one instance writes at the same time. More would be smaller, and would
/// cost PostgreSQL more commits for the same charges.
const SHARDS: u8 = 2;

/// Charges of one instance.
#[derive(Clone, Debug)]
pub struct Charges {
    db: Pool,
    batcher: Arc<Batcher<ChargeBatch>>,
}

impl Charges {
    /// Creates the charges of one instance; batches run on the runtime of the caller.
    pub fn new(db: &Pool) -> Self {
        let batch = ChargeBatch { db: db.clone() };
        Self { db: db.clone(), batcher: Arc::new(Batcher::new(batch, Handle::current())) }
    }

    /// Asks `provider` for the money and credits the points. A `key` that charged before returns
    /// its first result; the provider, asked again, takes nothing again.
    pub(crate) async fn charge(
        &self,
        provider: &Provider,
        charge: &Charge,
        key: Option<&RequestKey>,
    ) -> Result<Charging, WalletError> {
        let location = match provider.0.begin(charge).await? {
            Begun::Confirmed => return self.settle(charge, key).await.map(Charging::Done),
            Begun::Elsewhere { location } => location,
        };
        let charged = match key {
            Some(key) => key.find_outcome(&self.db).await?,
            None => None,
        };
        Ok(charged.map_or(Charging::Elsewhere { location }, Charging::Done))
    }

    /// Credits a charge that the provider confirmed, once: a charge that was settled before is
    /// [`WalletError::MovedBefore`], or returns its first result under the same `key`.
    pub async fn settle(
        &self,
        charge: &Charge,
        key: Option<&RequestKey>,
    ) -> Result<Charged, WalletError> {
        let request =
            || ChargeRequest { charge: charge.clone(), key: key.cloned(), is_again: false };
        self.batcher.submit(shard_of(charge.account_id.0, SHARDS), request).await?
    }
}
