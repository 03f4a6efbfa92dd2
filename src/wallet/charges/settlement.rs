//! Transaction that settles charges: locks their wallets, *then* reads what was settled before,
//! *then* writes the others.

use std::collections::{HashMap, HashSet};

use uuid::Uuid;

use super::{
    model::{ChargeRequest, Charged},
    store::{self, Credits, WhenHeld},
};
use crate::{
    accounts::AccountId,
    infra::{
        idempotency::Outcomes,
        postgres::{Connection, Pool},
    },
    points::Points,
    wallet::{
        error::WalletError,
        model::{Kind, Movement, Wallet},
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
    let wallets = lock_wallets(&mut tx, requests, when_held).await?;
    let is_locked = |request: &&&ChargeRequest| wallets.contains_key(&request.charge.account_id);
    let keys: Vec<_> =
        requests.iter().filter(is_locked).filter_map(|request| request.key.as_ref()).collect();
    let mut settlement = Settlement {
        outcomes: Outcomes::read(&mut tx, &keys).await?,
        before: list_settled(&mut tx, requests).await?,
        credits: Credits::default(),
        settled: HashSet::new(),
        wallets,
    };
    let settled = requests.iter().map(|request| settlement.settle(request)).collect();
    let Settlement { credits, outcomes, .. } = settlement;
    if !credits.is_empty() {
        store::write_credits(&mut tx, &credits).await?;
        outcomes.write(&mut tx).await?;
    }
    tx.commit().await?;
    Ok(settled)
}

/// State of a transaction whose charges are decided one after the other.
struct Settlement {
    /// Wallets as the charges so far leave them.
    wallets: HashMap<AccountId, Wallet>,
    outcomes: Outcomes,
    /// Balances after charges that an earlier attempt settled.
    before: HashMap<Uuid, Points>,
    /// Ids of the charges of this transaction.
    settled: HashSet<Uuid>,
    credits: Credits,
}

impl Settlement {
    fn settle(&mut self, request: &ChargeRequest) -> Settled {
        match self.wallets.get(&request.charge.account_id).cloned() {
            None => Settled::Held,
            Some(wallet) => Settled::Done(self.credit(&wallet, request)),
        }
    }

    fn credit(&mut self, wallet: &Wallet, request: &ChargeRequest) -> Result<Charged, WalletError> {
        let ChargeRequest { charge, key, .. } = request;
        if let Some(key) = key
            && let Some(charged) = self.outcomes.find(key)?
        {
            return Ok(charged);
        }
        if let Some(balance) = self.before.get(&charge.charge_id) {
            return Ok(Charged { balance: *balance });
        }
        let movement = Movement::credit(Kind::Charge, charge.amount.points(), charge.charge_id);
        let after = wallet.after(&movement)?;
        if !self.settled.insert(charge.charge_id) {
            return Err(WalletError::MovedBefore);
        }
        let charged = Charged { balance: after.balance };
        self.credits.add(wallet, &after, &movement);
        self.wallets.insert(charge.account_id, after);
        if let Some(key) = key {
            self.outcomes.add(key, &charged);
        }
        Ok(charged)
    }
}

/// Locks the wallets of `requests`, and creates those that do not exist. Those that are held are
/// missing with [`WhenHeld::Skip`].
async fn lock_wallets(
    tx: &mut Connection,
    requests: &[&ChargeRequest],
    when_held: WhenHeld,
) -> Result<HashMap<AccountId, Wallet>, WalletError> {
    let accounts: HashSet<AccountId> =
        requests.iter().map(|request| request.charge.account_id).collect();
    let mut accounts: Vec<AccountId> = accounts.into_iter().collect();
    let mut wallets = store::lock_wallets(tx, &accounts, when_held).await?;
    accounts.retain(|id| !wallets.iter().any(|wallet| wallet.account_id == *id));
    if !accounts.is_empty() {
        accounts.sort_by_key(|account_id| account_id.0);
        wallets.extend(store::open_wallets(tx, &accounts).await?);
    }
    let wallets: HashMap<_, _> =
        wallets.into_iter().map(|wallet| (wallet.account_id, wallet)).collect();
    let is_missing = accounts.iter().any(|account_id| !wallets.contains_key(account_id));
    match when_held {
        // Another first credit opened it meanwhile; the next attempt locks it.
        WhenHeld::Wait if is_missing => Err(WalletError::StaleVersion),
        _ => Ok(wallets),
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
