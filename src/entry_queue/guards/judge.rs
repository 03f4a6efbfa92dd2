//! Guards' decision on a batch of joins, in order of arrival.

use std::collections::{HashMap, HashSet};

use chrono::{DateTime, TimeDelta, Utc};

use super::{
    Guard,
    model::Arrival,
    network::NetworkTag,
    store::{self as store, waits},
};
use crate::{
    accounts::AccountId,
    catalog::{Guards, ProgramId},
    infra::postgres::Connection,
};

/// Reason for which a guard refused a join.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Objection {
    /// The account is too new.
    TooNew {
        /// Moment at which the account is old enough.
        until: DateTime<Utc>,
    },
    /// Too many holds of the account ended unpaid.
    CoolingDown {
        /// Moment at which the cool-down ends.
        until: DateTime<Utc>,
    },
    /// The account's address is not confirmed.
    Unconfirmed,
    /// The account did no work and did not wait.
    Unproven,
    /// Accounts of the network have all the numbers that one network may have.
    AddressFull,
}

impl Objection {
    /// Returns the guard that raised the objection.
    pub(crate) fn guard(self) -> Guard {
        match self {
            Self::TooNew { .. } => Guard::AccountAge,
            Self::CoolingDown { .. } => Guard::CoolDown,
            Self::Unconfirmed => Guard::ConfirmedAddress,
            Self::Unproven => Guard::Proof,
            Self::AddressFull => Guard::Address,
        }
    }
}

/// State of the accounts and networks in a batch, as far as the active guards need it.
#[derive(Debug, Default)]
pub(crate) struct Judge {
    guards: Guards,
    too_new: HashMap<AccountId, DateTime<Utc>>,
    cooling: HashMap<AccountId, DateTime<Utc>>,
    /// Accounts that have finished their wait.
    waited: HashSet<AccountId>,
    /// Moment at which each account got its latest number.
    numbered: HashMap<AccountId, DateTime<Utc>>,
    /// Accounts with numbers, by network.
    taken: HashMap<NetworkTag, i64>,
    /// Accounts that have had a number from that network.
    known: HashSet<(NetworkTag, AccountId)>,
}

impl Judge {
    /// Reads the facts about `people` that the active guards need; executes no statement where all
    /// are off. Call it after the program's numbers are locked, with a `now` read after that.
    pub(crate) async fn of(
        tx: &mut Connection,
        program_id: ProgramId,
        guards: Guards,
        people: &[(AccountId, Arrival)],
        now: DateTime<Utc>,
    ) -> Result<Self, sqlx::Error> {
        let mut judge = Self { guards, ..Self::default() };
        let accounts: Vec<AccountId> = people.iter().map(|(id, _)| *id).collect();
        if let Some(mins) = guards.account_age_mins {
            let born_before = now - TimeDelta::minutes(mins.into());
            let born = store::list_born_after(tx, &accounts, born_before).await?;
            let old = |born: DateTime<Utc>| born + TimeDelta::minutes(mins.into());
            judge.too_new = born.into_iter().map(|(id, born)| (id, old(born))).collect();
        }
        if let Some((holds, mins)) = guards.cool_down() {
            let lapsed = store::list_unpaid(tx, program_id, &accounts, holds).await?;
            let over = |ended: DateTime<Utc>| ended + TimeDelta::minutes(mins.into());
            let cooling = lapsed.into_iter().map(|(id, ended)| (id, over(ended)));
            judge.cooling = cooling.filter(|(_, until)| now < *until).collect();
        }
        if guards.proof_bits.is_some() {
            let since = now - super::wait::GOOD_FOR;
            let waited = waits::list_waited(tx, program_id, &accounts, since, now).await?;
            judge.waited = waited.into_iter().collect();
            let numbered = store::list_numbered(tx, program_id, &accounts).await?;
            judge.numbered = numbered.into_iter().collect();
        }
        if guards.joins_per_address.is_some() {
            let tags: HashSet<NetworkTag> =
                people.iter().map(|(_, arrival)| arrival.network).collect();
            let tags: Vec<NetworkTag> = tags.into_iter().collect();
            judge.taken =
                store::count_by_network(tx, program_id, &tags).await?.into_iter().collect();
            let networks: Vec<NetworkTag> =
                people.iter().map(|(_, arrival)| arrival.network).collect();
            let known = store::list_known(tx, program_id, &accounts, &networks).await?;
            judge.known = known.into_iter().collect();
        }
        Ok(judge)
    }

    /// Admits an account to the next number and counts it, or returns the first objection.
    pub(crate) fn admit(
        &mut self,
        account_id: AccountId,
        arrival: Arrival,
    ) -> Result<(), Objection> {
        if let Some(until) = self.too_new.get(&account_id).copied() {
            return Err(Objection::TooNew { until });
        }
        if self.guards.confirmed_address && !arrival.is_address_confirmed {
            return Err(Objection::Unconfirmed);
        }
        if let Some(until) = self.cooling.get(&account_id).copied() {
            return Err(Objection::CoolingDown { until });
        }
        if self.guards.proof_bits.is_some_and(|bits| !self.is_proven(account_id, arrival, bits)) {
            return Err(Objection::Unproven);
        }
        if let Some(places_max) = self.guards.joins_per_address
            && self.known.insert((arrival.network, account_id))
        {
            let taken = self.taken.entry(arrival.network).or_default();
            if *taken >= i64::from(places_max) {
                self.known.remove(&(arrival.network, account_id));
                return Err(Objection::AddressFull);
            }
            *taken += 1;
        }
        Ok(())
    }

    /// Whether the account waited, or did work that is hard enough and was set after its latest
    /// number: each serves one join.
    fn is_proven(&self, account_id: AccountId, arrival: Arrival, bits: i32) -> bool {
        let is_unspent = |set_at| self.numbered.get(&account_id).is_none_or(|last| *last < set_at);
        self.waited.contains(&account_id)
            || arrival.solved.is_some_and(|work| work.bits >= bits && is_unspent(work.set_at))
    }

    /// Whether the networks of joins are stored.
    pub(crate) fn keeps_networks(&self) -> bool {
        self.guards.joins_per_address.is_some()
    }

    /// Whether joining takes a proof of work.
    pub(crate) fn asks_for_work(&self) -> bool {
        self.guards.proof_bits.is_some()
    }
}
