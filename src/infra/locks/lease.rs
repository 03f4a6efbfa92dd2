//! Leases, taken one or several at once.

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

/// Upper bound of an attempt's wait for an earlier attempt of the same owner.
const OWN_WAIT_MAX: Duration = Duration::from_secs(2);
/// Interval of the checks during that wait.
const OWN_WAIT_STEP: Duration = Duration::from_millis(40);
/// Upper bound of a caller's wait for the release of leases, which goes on in the background.
const RELEASE_WAIT_MAX: Duration = Duration::from_millis(100);
/// Time for which a scope remembers its last fencing number. Only a clock that is set back needs
/// it: the number is never below Redis' time.
const FENCE_KEPT: Duration = Duration::from_hours(1);

/// Name of a lease. Names of one scope share a cluster slot.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LeaseName {
    scope: String,
    name: String,
}

impl LeaseName {
    /// Creates the name `name` within `scope`.
    pub fn new(scope: &impl ToString, name: &impl ToString) -> Self {
        Self { scope: scope.to_string(), name: name.to_string() }
    }

    /// Returns the scope, which decides the cluster slot.
    pub fn scope(&self) -> &str {
        &self.scope
    }

    /// Returns the name within its scope.
    pub fn name(&self) -> &str {
        &self.name
    }
}

/// Duration for which leases are held.
#[derive(Clone, Copy, Debug)]
pub enum Term {
    /// Until they are released, and no longer than this.
    Fixed(Duration),
    /// Until they are released or the guard is dropped: a watchdog renews them.
    Watched {
        /// Expiry of the leases if the watchdog dies.
        lease: Duration,
        /// Interval at which the watchdog renews them.
        renewed_every: Duration,
        /// Time after which the watchdog stops, whatever the holder is doing.
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

/// Reasons for which leases were not taken. None of them is held then.
#[derive(Debug, thiserror::Error)]
pub enum LeaseError {
    /// Other owners hold these names.
    #[error("{} of the leases are held by others", .0.len())]
    Held(Vec<LeaseName>),
    /// An earlier attempt of the same owner holds them and did not finish in time.
    #[error("an earlier attempt of the same order is still running")]
    OwnStillRunning,
    /// Redis could not be asked.
    #[error(transparent)]
    Away(#[from] RedisAway),
}

/// Held leases. Dropping the guard releases them as well, without waiting.
#[derive(Debug)]
pub struct Lease {
    marks: Marks,
    fence: u64,
    watchdog: Option<Watchdog>,
}

impl Lease {
    /// Takes all of `names` at once, or none. Waits only for an earlier attempt of the same
    /// `owner`, for at most two seconds.
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
        // The guard is made before Redis is asked: when this future is dropped or fails half-way,
        // the guard releases whatever was taken.
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
            // A refusal at the first scope leaves nothing to release.
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

    /// Returns the fencing number, which rises each time the same names are taken.
    pub fn fence(&self) -> u64 {
        self.fence
    }

    /// Whether the watchdog found a lease gone. False proves nothing: a lease may have ended a
    /// moment ago.
    pub fn is_lost(&self) -> bool {
        self.watchdog.as_ref().is_some_and(Watchdog::is_lost)
    }

    /// Releases the leases. The caller waits at most 100 ms; where Redis does not
    /// answer, the leases expire by themselves.
    pub async fn release(mut self) {
        self.watchdog = None;
        if let Some(released) = self.marks.release_behind() {
            // A late or failed release changes nothing for the caller.
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

/// Keys of one attempt and the mark that it writes into them.
#[derive(Clone, Debug)]
struct Marks {
    redis: Redis,
    /// Names by scope, sorted and distinct.
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
            // A cancelled attempt must release after having taken, so its commands stay in order.
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

    /// Releases all names once, in a task of its own that a dropped caller cannot stop.
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
