//! Rate limits, in this process's memory: they keep one person from crowding out the
//! others, they do not count to the last request.

use std::{fmt, hash::Hash, net::IpAddr, num::NonZeroU32};

use actix_web::http::StatusCode;
use governor::{DefaultKeyedRateLimiter, Quota, RateLimiter, clock::Clock};
use uuid::Uuid;

use super::error::Fault;
use crate::config::Config;

/// The largest rehearsal needs 40 for its people; nobody guesses a token with so few.
const REHEARSAL_PER_MINUTE: NonZeroU32 = NonZeroU32::new(120).unwrap();

/// Too many requests.
#[derive(Clone, Copy, Debug, thiserror::Error)]
#[error("too many requests; again in {retry_after_secs} s")]
pub struct RateLimited {
    /// When the next one may come, in seconds.
    pub retry_after_secs: u64,
}

impl Fault for RateLimited {
    fn status(&self) -> StatusCode {
        StatusCode::TOO_MANY_REQUESTS
    }

    fn code(&self) -> &'static str {
        "rate-limited"
    }

    fn retry_after_secs(&self) -> Option<u64> {
        Some(self.retry_after_secs)
    }
}

/// One limit for each key. Keys that are at rest are forgotten by [`Limits::forget`].
pub struct Limit<K: Clone + Eq + Hash>(DefaultKeyedRateLimiter<K>);

impl<K: Clone + Eq + Hash> fmt::Debug for Limit<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Limit({} keys)", self.0.len())
    }
}

impl<K: Clone + Eq + Hash> Limit<K> {
    fn new(quota: Quota) -> Self {
        Self(RateLimiter::keyed(quota))
    }

    /// Counts one request of `key`.
    pub fn count(&self, key: &K) -> Result<(), RateLimited> {
        self.0.check_key(key).map_err(|early| {
            let wait = early.wait_time_from(governor::clock::DefaultClock::default().now());
            RateLimited { retry_after_secs: wait.as_secs() + 1 }
        })
    }

    fn forget(&self) {
        self.0.retain_recent();
        self.0.shrink_to_fit();
    }
}

/// The limits of one instance.
#[derive(Debug)]
pub struct Limits {
    /// Log-ins, by address and e-mail.
    pub login: Limit<(IpAddr, String)>,
    /// Sign-ups, by address.
    pub signup: Limit<IpAddr>,
    /// Everything that changes something, by account.
    pub account: Limit<Uuid>,
    /// Requests behind the stage of a rehearsal, by address.
    pub rehearsal: Limit<IpAddr>,
}

impl Limits {
    /// The limits that `config` sets.
    pub fn new(config: &Config) -> Self {
        Self {
            login: Limit::new(Quota::per_minute(config.login_per_minute)),
            signup: Limit::new(refilled_in_ten_seconds(config.signup_burst)),
            account: Limit::new(refilled_in_ten_seconds(config.account_burst)),
            rehearsal: Limit::new(Quota::per_minute(REHEARSAL_PER_MINUTE)),
        }
    }

    /// Forgets everybody who is far from their limit.
    pub fn forget(&self) {
        self.login.forget();
        self.signup.forget();
        self.account.forget();
        self.rehearsal.forget();
    }
}

fn refilled_in_ten_seconds(burst: NonZeroU32) -> Quota {
    const REFILL_SECS: u32 = 10;
    let per_second = NonZeroU32::new(burst.get() / REFILL_SECS).unwrap_or(NonZeroU32::MIN);
    Quota::per_second(per_second).allow_burst(burst)
}
