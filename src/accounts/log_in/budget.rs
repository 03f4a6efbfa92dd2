//! Budgets checked before a password: per network, per network and account, and per account.
//!
//! A **network** may fail a limited number of times an hour, over all accounts: an attempt
//! under way counts as failed until it succeeds, so that concurrent attempts cannot exceed the
//! limit. The refusal of a sign-up reveals that its address has an account, so a network gets a limited number
//! of them an hour, and after that cannot sign up for a while. The **account's** budget (`guesses.rs`) holds
//! across networks and instances.

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

/// Bound on networks whose failures are counted; the least recently failed are evicted.
const NETWORKS_MAX: u64 = 100_000;
/// Sign-ups an hour of one network whose address has an account.
const TAKEN_PER_HOUR: NonZeroU32 = NonZeroU32::new(60).unwrap();
const HOUR: Duration = Duration::from_hours(1);

/// Budget that refused an attempt; the security log has its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, strum::IntoStaticStr)]
#[strum(serialize_all = "lowercase")]
pub enum Budget {
    Network,
    Account,
}

/// Log-in budgets of one instance; clones share them.
#[derive(Clone, Debug)]
pub struct LogInBudget {
    networks: Networks,
    taken: Networks,
    each: Arc<Limit<(Network, AccountKey)>>,
    passwords: Guesses,
    /// Apart from the passwords': a right password must not clear the failures of the codes.
    codes: Guesses,
}

/// Attempt that every budget allowed; counted as failed unless it succeeds or is withdrawn.
#[derive(Debug)]
pub struct LogInAttempt {
    networks: Networks,
    guesses: Guesses,
    from: Origin,
    guess: Guess,
}

impl LogInBudget {
    /// Creates the budgets from the settings of `app`.
    pub fn new(app: &App) -> Self {
        Self {
            networks: Networks::new(app.config.login_failures_per_hour),
            taken: Networks::new(TAKEN_PER_HOUR),
            each: Arc::new(Limit::new(Quota::per_minute(app.config.login_per_minute))),
            passwords: Guesses::new(&app.redis, "log-in"),
            codes: Guesses::new(&app.redis, "log-in-code"),
        }
    }

    /// Drops the counts that are far below their limit; called periodically.
    pub fn forget(&self) {
        self.each.forget();
    }

    /// Counts an attempt that cannot name any account, against its network only.
    pub(crate) fn count_nonsense(&self, network: Network) -> Result<(), (Budget, RateLimited)> {
        self.networks.spend(network).map_err(|limited| (Budget::Network, limited))
    }

    /// Refuses every sign-up of a network that tried too many addresses with an account, so that this refusal
    /// does not depend on the address.
    pub(crate) fn check_taken(&self, network: Network) -> Result<(), RateLimited> {
        self.taken.spend(network)?;
        self.taken.give_back(network);
        Ok(())
    }

    /// Counts a sign-up whose address has an account.
    pub(crate) fn count_taken(&self, network: Network) {
        let _ = self.taken.spend(network);
    }

    /// Counts an attempt; on `Ok` the caller may check the password.
    pub async fn begin(&self, from: Origin) -> Result<LogInAttempt, (Budget, RateLimited)> {
        self.begin_among(&self.passwords, from).await
    }

    /// Counts an attempt; on `Ok` the caller may check a code of the second factor.
    pub(crate) async fn begin_code(
        &self,
        from: Origin,
    ) -> Result<LogInAttempt, (Budget, RateLimited)> {
        self.begin_among(&self.codes, from).await
    }

    async fn begin_among(
        &self,
        guesses: &Guesses,
        from: Origin,
    ) -> Result<LogInAttempt, (Budget, RateLimited)> {
        self.count_nonsense(from.network)?;
        let each = self.each.count(&(from.network, from.account));
        each.map_err(|limited| (Budget::Network, limited))?;
        match guesses.begin(&from).await {
            Ok(guess) => {
                let (networks, guesses) = (self.networks.clone(), guesses.clone());
                Ok(LogInAttempt { networks, guesses, from, guess })
            }
            Err(limited) => Err((Budget::Account, limited)),
        }
    }
}

impl LogInAttempt {
    /// Records that the password or the code was right and returns the attempt to the budgets.
    pub(crate) async fn succeed(self) {
        self.networks.give_back(self.from.network);
        self.guesses.succeed(&self.from, &self.guess).await;
    }

    /// Returns the attempt to the budgets because nothing was compared.
    pub(crate) async fn withdraw(self) {
        self.networks.give_back(self.from.network);
        self.guesses.withdraw(&self.from, &self.guess).await;
    }
}

/// Failures per network: one leaky bucket each, which empties in an hour.
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

    /// Applies `change` to the network's bucket after draining it to the present.
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
