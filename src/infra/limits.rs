//! Rate limits in this process's memory: they keep one client from crowding out the others and are
//! not exact.

use std::{
    fmt,
    hash::{BuildHasher, Hash, RandomState},
    num::NonZeroU32,
};

use governor::{DefaultKeyedRateLimiter, Quota, RateLimiter, clock::Clock};

/// Keys with a count of their own, in one limit. An entry takes some hundred bytes, so a limit
/// keeps within 20 MiB for any requests.
const KEYS_MAX: usize = 100_000;
/// Counts that all further keys share.
const SHARED_COUNTS: u64 = 4_096;

/// Too many requests.
#[derive(Clone, Copy, Debug, thiserror::Error)]
#[error("too many requests; again in {retry_after_secs} s")]
pub struct RateLimited {
    /// Seconds until the next request is allowed.
    pub retry_after_secs: u64,
}

/// Rate limit for each key.
///
/// At most [`KEYS_MAX`] keys have a count of their own; further keys share [`SHARED_COUNTS`] counts
/// until [`Limit::forget`] has made room. Memory is bounded, and no key is uncounted.
pub struct Limit<K: Clone + Eq + Hash> {
    own: DefaultKeyedRateLimiter<K>,
    shared: DefaultKeyedRateLimiter<u64>,
    hasher: RandomState,
    keys_max: usize,
}

impl<K: Clone + Eq + Hash> fmt::Debug for Limit<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Limit({} keys)", self.own.len())
    }
}

impl<K: Clone + Eq + Hash> Limit<K> {
    /// Creates a limit of `quota` for each key.
    pub fn new(quota: Quota) -> Self {
        Self::with_keys(quota, KEYS_MAX)
    }

    fn with_keys(quota: Quota, keys_max: usize) -> Self {
        Self {
            own: RateLimiter::keyed(quota),
            shared: RateLimiter::keyed(quota),
            hasher: RandomState::new(),
            keys_max,
        }
    }

    /// Counts one request of `key`; an error when the quota is used up.
    pub fn count(&self, key: &K) -> Result<(), RateLimited> {
        let counted = match self.own.len() < self.keys_max {
            true => self.own.check_key(key),
            false => self.shared.check_key(&(self.hasher.hash_one(key) % SHARED_COUNTS)),
        };
        counted.map_err(|early| {
            let wait = early.wait_time_from(governor::clock::DefaultClock::default().now());
            RateLimited { retry_after_secs: wait.as_secs() + 1 }
        })
    }

    /// Drops keys whose quota is full again; to be called periodically.
    pub fn forget(&self) {
        self.own.retain_recent();
        self.own.shrink_to_fit();
        self.shared.retain_recent();
    }
}

/// Returns a quota of `burst` requests at once that is full again after ten seconds.
pub fn refilled_in_ten_seconds(burst: NonZeroU32) -> Quota {
    const REFILL_SECS: u32 = 10;
    let per_second = NonZeroU32::new(burst.get() / REFILL_SECS).unwrap_or(NonZeroU32::MIN);
    Quota::per_second(per_second).allow_burst(burst)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_million_keys_cost_no_more_than_the_bound_and_are_still_counted() {
        const KEYS: u32 = 100;
        let once_an_hour = Quota::per_hour(NonZeroU32::MIN);
        let limit = Limit::with_keys(once_an_hour, 100);
        let refused = (0..KEYS * 1_000).filter(|key| limit.count(key).is_err()).count();
        assert_eq!(limit.own.len(), 100);
        let shared = usize::try_from(SHARED_COUNTS).unwrap();
        assert!(limit.shared.len() <= shared, "{}", limit.shared.len());
        assert!(refused >= 100_000 - 100 - shared, "{refused} were refused");
    }

    #[test]
    fn whoever_is_refused_waits_a_whole_second_at_least() {
        let limit = Limit::new(Quota::per_second(NonZeroU32::MIN));
        let refused = (0..1_000_000).find_map(|_| limit.count(&"ada").err()).unwrap();
        assert_eq!(refused.retry_after_secs, 1);
    }

    #[test]
    fn a_key_whose_quota_is_full_again_makes_room_for_another() {
        let soon = Quota::with_period(std::time::Duration::from_nanos(1)).unwrap();
        let limit = Limit::with_keys(soon, 1);
        limit.count(&"ada").unwrap();
        let forgotten = (0..1_000_000).find(|_| {
            limit.forget();
            limit.own.is_empty()
        });
        assert!(forgotten.is_some(), "{limit:?}");
        let limit = Limit::with_keys(Quota::per_hour(NonZeroU32::MIN), 2);
        limit.count(&"ada").unwrap();
        limit.forget();
        assert!(limit.count(&"ada").is_err(), "its hour is not over");
    }

    #[test]
    fn a_burst_is_there_again_after_ten_seconds_and_a_small_one_sooner() {
        for (burst, secs) in [(200, 10), (10, 10), (5, 5)] {
            let quota = refilled_in_ten_seconds(NonZeroU32::new(burst).unwrap());
            assert_eq!(quota.burst_size().get(), burst);
            assert_eq!(quota.burst_size_replenished_in().as_secs(), secs, "{burst}");
        }
    }
}
