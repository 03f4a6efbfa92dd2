//! Transaction that settles charges: locks the rows of purchases, *then* the wallets, *then* reads
//! which charges were settled before, *then* writes the others.

use std::collections::{HashMap, HashSet};

use uuid::Uuid;

use super::{
    model::{ChargeRequest, Charged, TakenPayment},
    purchases::{self, model::PurchaseId, store::LockedPurchase},
    store,
};
use crate::{
    accounts::AccountId,
    infra::{
        idempotency::Outcomes,
        postgres::{Connection, Pool, Transaction, WhenHeld},
    },
    points::Points,
    wallet::{
        error::WalletError,
        locked::LockedWallets,
        model::{Kind, Movement},
    },
};

/// Outcome of one charge.
#[derive(Debug)]
pub(super) enum Settled {
    Done(Result<Charged, WalletError>),
    /// Another transaction holds the wallet or the purchase: nothing was decided.
    Held,
}

/// Charges that are written, but for the commit.
pub(super) struct WrittenCharges {
    tx: Transaction,
    settled: Vec<Settled>,
}

impl WrittenCharges {
    /// Commits them, and returns their outcomes.
    pub(super) async fn commit(self) -> Result<Vec<Settled>, sqlx::Error> {
        self.tx.commit().await?;
        Ok(self.settled)
    }
}

/// Writes `requests` in one transaction, in their order, up to the commit.
pub(super) async fn write(
    db: &Pool,
    requests: &[&ChargeRequest],
    when_held: WhenHeld,
) -> Result<WrittenCharges, WalletError> {
    let accounts: HashSet<AccountId> =
        requests.iter().map(|request| request.charge.account_id).collect();
    let has_purchases = requests.iter().any(|request| request.taken.is_some());
    let (mut tx, purchases, mut wallets, found) = match when_held {
        WhenHeld::Skip if !has_purchases => {
            let (tx, row) = db.begin_with(&store::locks_for(&accounts, requests)).await?;
            let (wallets, found) = store::read_locked(&row)?;
            (tx, HashMap::new(), wallets, Some(found))
        }
        when_held => {
            let mut tx = db.begin().await?;
            let purchases = lock_purchases(&mut tx, requests, when_held).await?;
            let wallets = LockedWallets::lock(&mut tx, &accounts, when_held).await?;
            (tx, purchases, wallets, None)
        }
    };
    // What was found for a wallet that was not locked yet may have changed since.
    let found = found.filter(|_| accounts.iter().all(|account| wallets.contains(*account)));
    let are_all = wallets.open_missing(&mut tx, &accounts).await?;
    if when_held == WhenHeld::Wait && !are_all {
        // Another first credit opened it meanwhile; the next attempt locks it.
        return Err(WalletError::StaleVersion);
    }
    let is_locked = |request: &&&ChargeRequest| wallets.contains(request.charge.account_id);
    let keys: Vec<_> =
        requests.iter().filter(is_locked).filter_map(|request| request.key.as_ref()).collect();
    let mut settlement = Settlement {
        outcomes: match found {
            Some(found) => found,
            None => Outcomes::read(&mut tx, &keys).await?,
        },
        before: list_settled(&mut tx, requests).await?,
        settled: HashMap::new(),
        taken: Vec::new(),
        unclaimed: Vec::new(),
        purchases,
        wallets,
    };
    let settled = requests.iter().map(|request| settlement.settle(request)).collect();
    settlement.write(&mut tx).await?;
    Ok(WrittenCharges { tx, settled })
}

/// State of a transaction whose charges are decided one after the other.
struct Settlement {
    wallets: LockedWallets,
    outcomes: Outcomes,
    /// Balances after charges that an earlier attempt settled.
    before: HashMap<Uuid, Points>,
    /// Charges of this transaction, with the balances after them.
    settled: HashMap<Uuid, Points>,
    /// Purchases of this transaction, with their payments.
    taken: Vec<(PurchaseId, TakenPayment)>,
    /// Purchases of this transaction whose account was deleted before the money came.
    unclaimed: Vec<PurchaseId>,
    /// Purchases whose rows are locked.
    purchases: HashMap<PurchaseId, LockedPurchase>,
}

impl Settlement {
    async fn write(self, tx: &mut Connection) -> Result<(), WalletError> {
        let Self { wallets, outcomes, taken, unclaimed, .. } = self;
        if taken.is_empty() {
            return store::write_charges(tx, wallets.movements(), &outcomes.added()).await;
        }
        wallets.write(tx).await?;
        purchases::store::write_settled(tx, &taken, &unclaimed).await?;
        Ok(outcomes.write(tx).await?)
    }

    fn settle(&mut self, request: &ChargeRequest) -> Settled {
        let purchase_id = PurchaseId(request.charge.charge_id);
        let is_locked = self.wallets.contains(request.charge.account_id)
            && (request.taken.is_none() || self.purchases.contains_key(&purchase_id));
        match is_locked {
            true => Settled::Done(self.credit(request)),
            false => Settled::Held,
        }
    }

    fn credit(&mut self, request: &ChargeRequest) -> Result<Charged, WalletError> {
        let ChargeRequest { charge, key, taken, .. } = request;
        if let Some(key) = key
            && let Some(charged) = self.outcomes.find(key)?
        {
            return Ok(charged);
        }
        if let Some(balance) = self.before.get(&charge.charge_id) {
            return Ok(Charged { balance: *balance });
        }
        let purchase =
            taken.as_ref().and_then(|_| self.purchases.get(&PurchaseId(charge.charge_id)));
        if purchase.is_some_and(|purchase| purchase.is_unclaimed) {
            return Ok(Charged { balance: Points::ZERO });
        }
        if purchase.is_some_and(|purchase| !purchase.status.is_unsettled()) {
            return Err(WalletError::MovedBefore);
        }
        let kind = match (taken, self.settled.get(&charge.charge_id)) {
            (Some(_), Some(balance)) => return Ok(Charged { balance: *balance }),
            (None, Some(_)) => return Err(WalletError::MovedBefore),
            (Some(_), None) => Kind::Purchase,
            (None, None) => Kind::Charge,
        };
        if self.wallets.is_closed(charge.account_id) {
            let Some(taken) = taken else { return Err(WalletError::Closed) };
            let id = PurchaseId(charge.charge_id);
            self.settled.insert(charge.charge_id, Points::ZERO);
            self.taken.push((id, taken.clone()));
            self.unclaimed.push(id);
            return Ok(Charged { balance: Points::ZERO });
        }
        let movement = Movement::credit(kind, charge.amount.points(), charge.charge_id);
        let balance = self.wallets.change(charge.account_id, &movement);
        let balance = balance.unwrap_or(Err(WalletError::StaleVersion))?;
        self.settled.insert(charge.charge_id, balance);
        if let Some(taken) = taken {
            self.taken.push((PurchaseId(charge.charge_id), taken.clone()));
        }
        let charged = Charged { balance };
        if let Some(key) = key {
            self.outcomes.add(key, &charged);
        }
        Ok(charged)
    }
}

/// Locks the purchases among `requests`, and returns them. With [`WhenHeld::Skip`] purchases that
/// another transaction has locked are missing.
async fn lock_purchases(
    tx: &mut Connection,
    requests: &[&ChargeRequest],
    when_held: WhenHeld,
) -> Result<HashMap<PurchaseId, LockedPurchase>, WalletError> {
    let purchases = requests.iter().filter(|request| request.taken.is_some());
    let ids: HashSet<_> = purchases.map(|request| PurchaseId(request.charge.charge_id)).collect();
    if ids.is_empty() {
        return Ok(HashMap::new());
    }
    let ids: Vec<_> = ids.into_iter().collect();
    let locked = purchases::store::lock_purchases(tx, &ids, when_held).await?;
    Ok(locked.into_iter().map(|purchase| (purchase.id, purchase)).collect())
}

/// Returns the balances after the `requests` that were settled before.
async fn list_settled(
    tx: &mut Connection,
    requests: &[&ChargeRequest],
) -> Result<HashMap<Uuid, Points>, WalletError> {
    let again = requests.iter().filter(|request| request.is_again || request.taken.is_some());
    let (charges, accounts): (Vec<_>, Vec<_>) =
        again.map(|request| (request.charge.charge_id, request.charge.account_id)).unzip();
    match charges.is_empty() {
        true => Ok(HashMap::new()),
        false => Ok(store::list_settled(tx, &charges, &accounts).await?.into_iter().collect()),
    }
}
