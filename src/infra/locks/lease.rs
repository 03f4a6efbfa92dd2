//! Leases, one or several at once.

use std::{
    collections::BTreeMap,
    sync::{Arc, LazyLock},
    time::Duration,
};

use tokio::time::Instant;
use uuid::Uuid;

use super::{waits, watchdog::Watchdog};
use crate::infra::redis::{Redis, RedisAway, Script};

static TAKE: LazyLock<Script> = LazyLock::new(|| Script::new(include_str!("lease_take.lua")));
static RENEW: LazyLock<Script> = LazyLock::new(|| Script::new(include_str!("lease_renew.lua")));
static RELEASE: LazyLock<Script> = LazyLock::new(|| Script::new(include_str!("lease_release.lua")));

/// How long an attempt waits for an earlier attempt of the same order.
const OWN_WAIT_MAX: Duration = Duration::from_secs(2);
/// How often it looks meanwhile.
const OWN_WAIT_STEP: Duration = Duration::from_millis(40);
/// How long an answer may be kept waiting for leases to be given back. Giving back
/// goes on behind it.
const RELEASE_WAIT_MAX: Duration = Duration::from_millis(100);
/// How long a scope remembers its last fencing number. Only a clock that steps back
/// needs it: the number is never below Redis' time.
const FENCE_KEPT: Duration = Duration::from_hours(1);

/// What a lease is for. Names of one scope share a cluster slot.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LeaseName {
    scope: String,
    name: String,
}

impl LeaseName {
    /// `name` within `scope`.
    pub fn new(scope: &impl ToString, name: &impl ToString) -> Self {
        Self { scope: scope.to_string(), name: name.to_string() }
    }

    /// What names of one cluster slot share.
    pub fn scope(&self) -> &str {
        &self.scope
    }

    /// The name within its scope.
    pub fn name(&self) -> &str {
        &self.name
    }
}

/// How long leases are held.
#[derive(Clone, Copy, Debug)]
pub enum Term {
    /// Until they are given back, and no longer than this.
    Fixed(Duration),
    /// Until they are given back or the guard is dropped: a watchdog prolongs them.
    Watched {
        /// When they end if the watchdog dies.
        lease: Duration,
        /// How often the watchdog prolongs them.
        renewed_every: Duration,
        /// When it stops, whatever the holder is doing.
        at_most: Duration,
    },
}

impl Term {
    fn lease(self) -> Duration {
        match self {
            Self::Fixed(lease) | Self::Watched { lease, .. } => lease,
        }
    }
}

/// Why leases were not taken. Nothing is held then.
#[derive(Debug, thiserror::Error)]
pub enum LeaseError {
    /// Others hold some of them.
    #[error("{} of the leases are held by others", .0.len())]
    Held(Vec<LeaseName>),
    /// An earlier attempt of the same order holds them and did not finish in time.
    #[error("an earlier attempt of the same order is still running")]
    OwnStillRunning,
    /// Redis could not be asked.
    #[error(transparent)]
    Away(#[from] RedisAway),
}

/// Leases that are held. Dropping them gives them back as well, without waiting.
#[derive(Debug)]
pub struct Lease {
    marks: Marks,
    fence: u64,
    watchdog: Option<Watchdog>,
}

impl Lease {
    /// Takes all of `names` or none, at once. Only an earlier attempt of the same
    /// `owner` is waited for, a bounded time.
    pub async fn take(
        redis: &Redis,
        names: impl IntoIterator<Item = LeaseName>,
        owner: &str,
        term: Term,
    ) -> Result<Self, LeaseError> {
        let names: Vec<LeaseName> = names.into_iter().collect();
        let begun = Instant::now();
        let waits_until = begun + OWN_WAIT_MAX;
        loop {
            match Self::take_once(redis, &names, owner, term).await {
                Err(LeaseError::OwnStillRunning) if Instant::now() < waits_until => {
                    tokio::time::sleep(OWN_WAIT_STEP).await;
                }
                outcome => {
                    waits::note("lease", begun);
                    return outcome;
                }
            }
        }
    }

    async fn take_once(
        redis: &Redis,
        names: &[LeaseName],
        owner: &str,
        term: Term,
    ) -> Result<Self, LeaseError> {
        // Made before Redis is asked: when this future is dropped or fails half-way,
        // the guard gives back whatever was taken.
        let mut lease = Self { marks: Marks::new(redis, names, owner), fence: 0, watchdog: None };
        let lease_ms = millis(term.lease());
        let scopes = Arc::clone(&lease.marks.scopes);
        for (scope, names) in scopes.iter() {
            let mut call = TAKE.prepare_invoke();
            for name in names {
                call.key(lease.marks.key(scope, name));
            }
            call.key(redis.key(format_args!("fence:{{{scope}}}")));
            call.arg(&lease.marks.mark).arg(owner).arg(lease_ms).arg(millis(FENCE_KEPT));
            let (taken, fence, others, own): (u8, u64, Vec<usize>, Vec<usize>) =
                lease.marks.redis.run(&call).await?;
            // Refused at the first scope: there is nothing to give back.
            lease.marks.is_released = taken == 0 && lease.fence == 0;
            if !others.is_empty() {
                let name_of = |idx: &usize| names.get(*idx).map(|name| LeaseName::new(scope, name));
                return Err(LeaseError::Held(others.iter().filter_map(name_of).collect()));
            }
            if taken == 0 || !own.is_empty() {
                return Err(LeaseError::OwnStillRunning);
            }
            lease.fence = lease.fence.max(fence);
        }
        if let Term::Watched { lease: length, renewed_every, at_most } = term {
            let marks = lease.marks.clone();
            let prolong = move || {
                let marks = marks.clone();
                async move { marks.renew(length).await }
            };
            lease.watchdog = Some(Watchdog::start(renewed_every, at_most, prolong));
        }
        Ok(lease)
    }

    /// Rises with every taking of the same names.
    pub fn fence(&self) -> u64 {
        self.fence
    }

    /// Whether the watchdog found a lease gone. False proves nothing: a lease may
    /// have ended a moment ago.
    pub fn is_lost(&self) -> bool {
        self.watchdog.as_ref().is_some_and(Watchdog::is_lost)
    }

    /// Gives the leases back. The caller is kept waiting a moment at most; a Redis
    /// that does not answer lets them end by themselves.
    pub async fn release(mut self) {
        self.watchdog = None;
        if let Some(released) = self.marks.release_behind() {
            // Whether it took too long or failed changes nothing for the caller.
            drop(tokio::time::timeout(RELEASE_WAIT_MAX, released).await);
        }
    }
}

impl Drop for Lease {
    fn drop(&mut self) {
        self.watchdog = None;
        self.marks.release_behind();
    }
}

/// The keys of one attempt and what it wrote into them.
#[derive(Clone, Debug)]
struct Marks {
    redis: Redis,
    /// Sorted and distinct, by scope.
    scopes: Arc<BTreeMap<String, Vec<String>>>,
    mark: String,
    is_released: bool,
}

impl Marks {
    fn new(redis: &Redis, names: &[LeaseName], owner: &str) -> Self {
        let mut scopes: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for LeaseName { scope, name } in names {
            scopes.entry(scope.clone()).or_default().push(name.clone());
        }
        for names in scopes.values_mut() {
            names.sort();
            names.dedup();
        }
        Self {
            // Whoever is cancelled gives back after having taken.
            redis: redis.in_order(),
            scopes: Arc::new(scopes),
            mark: format!("{owner}/{}", Uuid::new_v4().simple()),
            is_released: false,
        }
    }

    fn key(&self, scope: &str, name: &str) -> String {
        self.redis.key(format_args!("lease:{{{scope}}}:{name}"))
    }

    async fn renew(&self, lease: Duration) -> Result<bool, RedisAway> {
        for (scope, names) in self.scopes.iter() {
            let mut call = RENEW.prepare_invoke();
            for name in names {
                call.key(self.key(scope, name));
            }
            call.arg(&self.mark).arg(millis(lease));
            let n_held: usize = self.redis.run(&call).await?;
            if n_held < names.len() {
                return Ok(false);
            }
        }
        Ok(true)
    }

    async fn release(&self) -> Result<(), RedisAway> {
        for (scope, names) in self.scopes.iter() {
            let mut call = RELEASE.prepare_invoke();
            for name in names {
                call.key(self.key(scope, name));
            }
            call.arg(&self.mark);
            self.redis.run::<usize>(&call).await?;
        }
        Ok(())
    }

    /// Gives everything back in a task of its own, once: whoever is dropped in the
    /// middle cannot stop it.
    fn release_behind(&mut self) -> Option<tokio::task::JoinHandle<()>> {
        if std::mem::replace(&mut self.is_released, true) {
            return None;
        }
        let marks = self.clone();
        let runtime = tokio::runtime::Handle::try_current().ok()?;
        Some(runtime.spawn(async move {
            if let Err(error) = marks.release().await {
                tracing::debug!(%error, "leases end by themselves");
            }
        }))
    }
}

fn millis(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}
