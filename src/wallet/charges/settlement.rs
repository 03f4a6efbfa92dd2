//! Transaction that settles charges: locks their wallets, *then* reads what was settled before,
//! *then* writes the others.

use std::collections::{HashMap, HashSet};

use uuid::Uuid;

use super::{
    model::{ChargeRequest, Charged},
    store,
};
use crate::{
    accounts::AccountId,
    infra::{
        idempotency::Outcomes,
        postgres::{Connection, Pool, WhenHeld},
    },
    points::Points,
    wallet::{
        error::WalletError,
        locked::LockedWallets,
        model::{Kind, Movement},
    },
};

/// What became of one charge.
#[derive(Debug)]
pub(super) enum Settled {
    Done(Result<Charged, WalletError>),
    /// Another transaction holds the wallet: nothing was decided.
    Held,
}

/// Settles `requests` in one transaction, in their order.
pub(super) async fn settle_once(
    db: &Pool,
    requests: &[&ChargeRequest],
    when_held: WhenHeld,
) -> Result<Vec<Settled>, WalletError> {
    let mut tx = db.begin().await?;
    let accounts: HashSet<AccountId> =
        requests.iter().map(|request| request.charge.account_id).collect();
    let mut wallets = LockedWallets::lock(&mut tx, &accounts, when_held).await?;
    let are_all = wallets.open_missing(&mut tx, &accounts).await?;
    if when_held == WhenHeld::Wait && !are_all {
        // Another first credit opened it meanwhile; the next attempt locks it.
        return Err(WalletError::StaleVersion);
    }
    let is_locked = |request: &&&ChargeRequest| wallets.contains(request.charge.account_id);
    let keys: Vec<_> =
        requests.iter().filter(is_locked).filter_map(|request| request.key.as_ref()).collect();
    let mut settlement = Settlement {
        outcomes: Outcomes::read(&mut tx, &keys).await?,
        before: list_settled(&mut tx, requests).await?,
        settled: HashSet::new(),
        wallets,
    };
    let settled = requests.iter().map(|request| settlement.settle(request)).collect();
    settlement.wallets.write(&mut tx, Kind::Charge).await?;
    settlement.outcomes.write(&mut tx).await?;
    tx.commit().await?;
    Ok(settled)
}

/// State of a transaction whose charges are decided one after the other.
struct Settlement {
    wallets: LockedWallets,
    outcomes: Outcomes,
    /// Balances after charges that an earlier attempt settled.
    before: HashMap<Uuid, Points>,
    /// Ids of the charges of this transaction.
    settled: HashSet<Uuid>,
}

impl Settlement {
    fn settle(&mut self, request: &ChargeRequest) -> Settled {
        match self.wallets.contains(request.charge.account_id) {
            true => Settled::Done(self.credit(request)),
            false => Settled::Held,
        }
    }

    fn credit(&mut self, request: &ChargeRequest) -> Result<Charged, WalletError> {
        let ChargeRequest { charge, key, .. } = request;
        if let Some(key) = key
            && let Some(charged) = self.outcomes.find(key)?
        {
            return Ok(charged);
        }
        if let Some(balance) = self.before.get(&charge.charge_id) {
            return Ok(Charged { balance: *balance });
        }
        if self.settled.contains(&charge.charge_id) {
            return Err(WalletError::MovedBefore);
        }
        let movement = Movement::credit(Kind::Charge, charge.amount.points(), charge.charge_id);
        let balance = self.wallets.change(charge.account_id, &movement);
        let balance = balance.unwrap_or(Err(WalletError::StaleVersion))?;
        self.settled.insert(charge.charge_id);
        let charged = Charged { balance };
        if let Some(key) = key {
            self.outcomes.add(key, &charged);
        }
        Ok(charged)
    }
}

/// Returns the balances after those of `requests` that an earlier attempt settled.
async fn list_settled(
    tx: &mut Connection,
    requests: &[&ChargeRequest],
) -> Result<HashMap<Uuid, Points>, WalletError> {
    let again = requests.iter().filter(|request| request.is_again);
    let (charges, accounts): (Vec<_>, Vec<_>) =
        again.map(|request| (request.charge.charge_id, request.charge.account_id)).unzip();
    match charges.is_empty() {
        true => Ok(HashMap::new()),
        false => Ok(store::list_settled(tx, &charges, &accounts).await?.into_iter().collect()),
    }
}
