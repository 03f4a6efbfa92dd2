//! What stands before a password is looked at: the budgets of a network, of a network for one
//! account, and of an account.
//!
//! A **network** may fail so often an hour, whomever it tries: what is under way counts as
//! failed until it has succeeded, so that six hundred attempts at once are no way around it.
//! The **account's** budget (`guesses.rs`) holds across networks and instances.

use std::{
    num::NonZeroU32,
    sync::{Arc, Mutex, PoisonError},
    time::{Duration, Instant},
};

use governor::Quota;
use moka::sync::Cache;

use super::guesses::{AccountKey, Guess, Guesses, Origin};
use crate::{
    app::App,
    infra::{
        limits::{Limit, RateLimited},
        network::Network,
    },
};

/// Networks whose failures are counted at once; those that failed longest ago go first.
const NETWORKS_MAX: u64 = 100_000;
const HOUR: Duration = Duration::from_hours(1);

/// What refused an attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Budget {
    Network,
    Account,
}

impl Budget {
    /// As the security log names it.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Network => "network",
            Self::Account => "account",
        }
    }
}

/// The budgets of log-ins of one instance; clones share them.
#[derive(Clone, Debug)]
pub struct LogInBudget {
    networks: Networks,
    each: Arc<Limit<(Network, AccountKey)>>,
    guesses: Guesses,
}

/// An attempt that every budget allowed. Unless it says otherwise, it failed.
#[derive(Debug)]
pub(crate) struct LogInAttempt {
    budget: LogInBudget,
    from: Origin,
    guess: Guess,
}

impl LogInBudget {
    /// The budgets that the settings of `app` allow.
    pub fn new(app: &App) -> Self {
        Self {
            networks: Networks::new(app.config.login_failures_per_hour),
            each: Arc::new(Limit::new(Quota::per_minute(app.config.login_per_minute))),
            guesses: Guesses::new(&app.redis),
        }
    }

    /// Forgets who is far from their limit; called now and then.
    pub fn forget(&self) {
        self.each.forget();
    }

    /// Counts something that is no attempt at any account, as it names none.
    pub(crate) fn count_nonsense(&self, network: Network) -> Result<(), (Budget, RateLimited)> {
        self.networks.spend(network).map_err(|limited| (Budget::Network, limited))
    }

    /// Counts an attempt, which may then look at the password.
    pub(crate) async fn begin(&self, from: Origin) -> Result<LogInAttempt, (Budget, RateLimited)> {
        self.count_nonsense(from.network)?;
        let each = self.each.count(&(from.network, from.account));
        each.map_err(|limited| (Budget::Network, limited))?;
        match self.guesses.begin(&from).await {
            Ok(guess) => Ok(LogInAttempt { budget: self.clone(), from, guess }),
            Err(limited) => Err((Budget::Account, limited)),
        }
    }
}

impl LogInAttempt {
    /// The password was right.
    pub(crate) async fn succeed(self) {
        self.budget.networks.give_back(self.from.network);
        self.budget.guesses.succeed(&self.from, &self.guess).await;
    }

    /// Nobody looked at the password.
    pub(crate) async fn withdraw(self) {
        self.budget.networks.give_back(self.from.network);
        self.budget.guesses.withdraw(&self.from, &self.guess).await;
    }
}

/// The failures of networks: a bucket each, which fills itself in an hour.
#[derive(Clone, Debug)]
struct Networks {
    buckets: Cache<Network, Arc<Mutex<Bucket>>>,
    per_hour: f64,
}

#[derive(Debug)]
struct Bucket {
    spent: f64,
    at: Instant,
}

impl Networks {
    fn new(per_hour: NonZeroU32) -> Self {
        let buckets = Cache::builder().max_capacity(NETWORKS_MAX).time_to_idle(HOUR).build();
        Self { buckets, per_hour: f64::from(per_hour.get()) }
    }

    fn spend(&self, network: Network) -> Result<(), RateLimited> {
        self.with(network, |bucket| {
            let over = bucket.spent + 1.0 - self.per_hour;
            if over > 0.0 {
                let wait = HOUR.mul_f64(over / self.per_hour);
                return Err(RateLimited { retry_after_secs: wait.as_secs() + 1 });
            }
            bucket.spent += 1.0;
            Ok(())
        })
    }

    fn give_back(&self, network: Network) {
        self.with(network, |bucket| bucket.spent = (bucket.spent - 1.0).max(0.0));
    }

    /// `change` of the network's bucket as it is now.
    fn with<T>(&self, network: Network, change: impl FnOnce(&mut Bucket) -> T) -> T {
        let now = Instant::now();
        let new = || Arc::new(Mutex::new(Bucket { spent: 0.0, at: now }));
        let bucket = self.buckets.get_with(network, new);
        let mut bucket = bucket.lock().unwrap_or_else(PoisonError::into_inner);
        let refilled = now.saturating_duration_since(bucket.at).as_secs_f64() / HOUR.as_secs_f64();
        bucket.spent = (bucket.spent - refilled * self.per_hour).max(0.0);
        bucket.at = now;
        change(&mut bucket)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_under_way_counts_and_success_gives_it_back() {
        let networks = Networks::new(NonZeroU32::new(100).unwrap());
        let [school, home] = [7, 8].map(|nth| Network::of([203, 0, 113, nth].into()));
        let begun = (0..600).filter(|_| networks.spend(school).is_ok()).count();
        assert_eq!(begun, 100);
        assert!(networks.spend(home).is_ok());
        for _ in 0..60 {
            networks.give_back(school);
        }
        assert_eq!((0..600).filter(|_| networks.spend(school).is_ok()).count(), 60);
        let refused = networks.spend(school).unwrap_err();
        assert!((1..=37).contains(&refused.retry_after_secs), "{refused}");
    }
}
