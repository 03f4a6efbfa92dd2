//! Limit on guesses of one account's password, or of its codes, over all sources.
//!
//! Attempts are counted in Redis for all instances together, before their passwords are
//! checked; a right password clears the failures of its source. After [`FREE`] failures each
//! further one costs a pause that doubles up to [`PAUSE_MAX`].
//!
//! **The owner is not shut out.** Failures are counted by source: each known device
//! (`device.rs`) and each known network has a count of its own, and all strangers share one.
//! Guesses from elsewhere therefore slow down only strangers. Accounts that do not exist are
//! counted alike.
//!
//! While Redis is unreachable each instance counts alone.

use std::{
    sync::LazyLock,
    time::{Duration, Instant},
};

use moka::{ops::compute::Op, sync::Cache};
use sha2::{Digest, Sha256};

use crate::{
    infra::{
        limits::RateLimited,
        network::Network,
        redis::{Redis, RedisAway, Script},
    },
    text::email::Email,
};

/// Failures in a row without a pause.
const FREE: u32 = 10;
/// Longest pause between two attempts of one source.
const PAUSE_MAX: Duration = Duration::from_mins(5);
/// How long failures are remembered after the last one; longer than any pause.
const REMEMBERED: Duration = Duration::from_mins(30);
/// Known networks kept per account, and for how long after the last log-in.
const NETWORKS_MAX: u32 = 20;
const NETWORKS_KEPT: Duration = Duration::from_hours(24 * 90);
/// Bound on sources and on networks remembered by one instance.
const REMEMBERED_MAX: u64 = 100_000;

static BEGIN: LazyLock<Script> = LazyLock::new(|| Script::new(include_str!("guess_begin.lua")));
static SUCCEED: LazyLock<Script> = LazyLock::new(|| Script::new(include_str!("guess_succeed.lua")));
static WITHDRAW: LazyLock<Script> =
    LazyLock::new(|| Script::new(include_str!("guess_withdraw.lua")));

/// Key of an account that is tried, whether or not it exists: a truncated SHA-256 of the folded
/// address, so its length is fixed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct AccountKey([u8; 16]);

impl AccountKey {
    /// Makes the key of the account with this address.
    pub fn of(email: &Email) -> Self {
        let digest: [u8; 32] = Sha256::digest(email.as_str()).into();
        let mut key = [0; 16];
        key.iter_mut().zip(digest).for_each(|(byte, hashed)| *byte = hashed);
        Self(key)
    }

    /// Returns the text used in Redis keys and cookies: URL-safe base64.
    pub fn encode(self) -> String {
        use base64::prelude::{BASE64_URL_SAFE_NO_PAD, Engine as _};
        BASE64_URL_SAFE_NO_PAD.encode(self.0)
    }
}

/// Origin of an attempt.
#[derive(Clone, Debug)]
pub struct Origin {
    pub account: AccountKey,
    pub network: Network,
    /// Known device id; `None` if the browser proved none.
    pub device: Option<String>,
}

/// Failure counts of accounts; clones share the counts kept while Redis is unreachable.
#[derive(Clone, Debug)]
pub(crate) struct Guesses {
    redis: Redis,
    /// Kind of the guessed secret, as the Redis keys begin.
    subject: &'static str,
    own: Cache<(AccountKey, String), Failures>,
    networks: Cache<(AccountKey, Network), ()>,
}

#[derive(Clone, Copy, Debug)]
struct Failures {
    count: u32,
    until: Option<Instant>,
}

/// Counted attempt.
#[derive(Debug)]
pub(crate) struct Guess {
    source: String,
    is_shared: bool,
}

impl Guesses {
    /// Creates the counts for the kind that the Redis keys call `subject`.
    pub(crate) fn new(redis: &Redis, subject: &'static str) -> Self {
        let own = Cache::builder().max_capacity(REMEMBERED_MAX).time_to_idle(REMEMBERED);
        let networks = Cache::builder().max_capacity(REMEMBERED_MAX).time_to_idle(NETWORKS_KEPT);
        Self { redis: redis.clone(), subject, own: own.build(), networks: networks.build() }
    }

    /// Counts an attempt; on `Ok` the caller may check the password.
    pub(crate) async fn begin(&self, from: &Origin) -> Result<Guess, RateLimited> {
        let (guess, wait) = match self.begin_together(from).await {
            Ok((source, wait_ms)) => {
                (Guess { source, is_shared: true }, Duration::from_millis(wait_ms))
            }
            Err(away) => {
                tracing::debug!(%away, "failed log-ins are counted by this instance alone");
                self.begin_alone(from)
            }
        };
        match wait.is_zero() {
            true => Ok(guess),
            false => Err(RateLimited { retry_after_secs: wait.as_secs() + 1 }),
        }
    }

    /// Records that the password was right.
    pub(crate) async fn succeed(&self, from: &Origin, guess: &Guess) {
        self.networks.insert((from.account, from.network), ());
        self.own.invalidate(&(from.account, guess.source.clone()));
        let mut call = SUCCEED.key(self.failures_key(from));
        call.key(self.networks_key(from)).arg(&guess.source).arg(from.network.to_string());
        call.arg(NETWORKS_MAX).arg(millis(NETWORKS_KEPT));
        if let Err(away) = self.redis.run::<()>(&call).await {
            tracing::debug!(%away, "a log-in was not published to the other instances");
        }
    }

    /// Takes the attempt back because the password was not checked.
    pub(crate) async fn withdraw(&self, from: &Origin, guess: &Guess) {
        if !guess.is_shared {
            self.withdraw_alone(from, guess);
            return;
        }
        let mut call = WITHDRAW.key(self.failures_key(from));
        call.arg(&guess.source).arg(FREE);
        if let Err(away) = self.redis.run::<()>(&call).await {
            tracing::debug!(%away, "an attempt that nobody looked at stays counted");
        }
    }

    async fn begin_together(&self, from: &Origin) -> Result<(String, u64), RedisAway> {
        let mut call = BEGIN.key(self.failures_key(from));
        call.key(self.networks_key(from));
        call.arg(from.device.as_deref().unwrap_or_default()).arg(from.network.to_string());
        call.arg(FREE).arg(millis(PAUSE_MAX)).arg(millis(REMEMBERED));
        self.redis.run(&call).await
    }

    fn begin_alone(&self, from: &Origin) -> (Guess, Duration) {
        let source = match &from.device {
            Some(device) => format!("device:{device}"),
            None if self.networks.contains_key(&(from.account, from.network)) => {
                format!("network:{}", from.network)
            }
            None => "stranger".to_owned(),
        };
        let (now, mut wait) = (Instant::now(), Duration::ZERO);
        self.own.entry((from.account, source.clone())).and_compute_with(|entry| {
            let before = entry.map_or(Failures { count: 0, until: None }, moka::Entry::into_value);
            wait = before.until.map_or(Duration::ZERO, |until| until.duration_since(now));
            match wait.is_zero() {
                true => Op::Put(before.and_one_more(now)),
                false => Op::Nop,
            }
        });
        (Guess { source, is_shared: false }, wait)
    }

    fn withdraw_alone(&self, from: &Origin, guess: &Guess) {
        self.own.entry((from.account, guess.source.clone())).and_compute_with(|entry| {
            let Some(entry) = entry else { return Op::Nop };
            let before = entry.into_value();
            let count = before.count.saturating_sub(1);
            Op::Put(Failures { count, until: before.until.filter(|_| count >= FREE) })
        });
    }

    /// Both keys of an account share a hash tag, so that one script may use them.
    fn failures_key(&self, from: &Origin) -> String {
        self.redis.key(format_args!("{}:{{{}}}:failures", self.subject, from.account.encode()))
    }

    fn networks_key(&self, from: &Origin) -> String {
        self.redis.key(format_args!("{}:{{{}}}:networks", self.subject, from.account.encode()))
    }
}

impl Failures {
    /// Counts one more failure by the formula of `guess_begin.lua`.
    fn and_one_more(self, now: Instant) -> Self {
        const DOUBLINGS_MAX: u32 = 30;
        let count = self.count.saturating_add(1);
        let doublings = count.checked_sub(FREE);
        let pause = doublings.map(|doublings| {
            let secs = 1_u64 << doublings.min(DOUBLINGS_MAX);
            Duration::from_secs(secs).min(PAUSE_MAX)
        });
        Self { count, until: pause.map(|pause| now + pause) }
    }
}

fn millis(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn origin(address: [u8; 4], device: Option<&str>) -> Origin {
        Origin {
            account: AccountKey::of(&Email::parse("ada@example.com").unwrap()),
            network: Network::of(address.into()),
            device: device.map(ToOwned::to_owned),
        }
    }

    /// Counting without Redis.
    #[tokio::test]
    async fn an_instance_alone_slows_strangers_and_lets_the_owner_in() {
        let guesses = Guesses::new(&Redis::open("redis://127.0.0.1:1", "test").unwrap(), "test");
        let (home, device) = (origin([192, 0, 2, 1], None), origin([192, 0, 2, 9], Some("phone")));
        let first = guesses.begin(&home).await.unwrap();
        guesses.succeed(&home, &first).await;
        for nth in 0..100 {
            let guess = guesses.begin(&origin([203, 0, 113, nth], None)).await;
            assert_eq!(guess.is_ok(), u32::from(nth) < FREE, "guess {nth}");
        }
        for owner in [&home, &device] {
            let guess = guesses.begin(owner).await.unwrap();
            guesses.succeed(owner, &guess).await;
        }
        // Withdrawn attempts do not count.
        for _ in 0..100 {
            let guess = guesses.begin(&device).await.unwrap();
            guesses.withdraw(&device, &guess).await;
        }
    }

    #[test]
    fn pauses_double_up_to_the_longest() {
        let now = Instant::now();
        let mut failures = Failures { count: 0, until: None };
        let mut pauses = Vec::new();
        for _ in 0..60 {
            failures = failures.and_one_more(now);
            pauses.push(failures.until.map_or(0, |until| until.duration_since(now).as_secs()));
        }
        assert_eq!(pauses[8..14], [0, 1, 2, 4, 8, 16]);
        assert_eq!(pauses[59], PAUSE_MAX.as_secs());
    }
}
