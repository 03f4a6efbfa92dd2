//! Leases of one scope, one or several at once.

use std::{
    collections::BTreeSet,
    fmt::Display,
    sync::{Arc, LazyLock},
    time::Duration,
};

use tokio::time::Instant;
use uuid::Uuid;

use super::waits;
use crate::infra::redis::{Redis, RedisAway, Script};

static TAKE: LazyLock<Script> = LazyLock::new(|| Script::new(include_str!("lease_take.lua")));
static RELEASE: LazyLock<Script> = LazyLock::new(|| Script::new(include_str!("lease_release.lua")));

/// Upper bound of an attempt's wait for an earlier attempt of the same owner.
pub(crate) const OWN_WAIT_MAX: Duration = Duration::from_secs(2);
/// Interval of the checks during that wait.
pub(crate) const OWN_WAIT_STEP: Duration = Duration::from_millis(40);
/// Upper bound of a caller's wait for the release of leases, which goes on in the background.
const RELEASE_WAIT_MAX: Duration = Duration::from_millis(100);

/// Reasons for which leases were not taken. None of them is held then.
#[derive(Debug, thiserror::Error)]
pub enum LeaseError {
    /// Other owners hold these names.
    #[error("{} of the leases are held by others", .0.len())]
    Held(Vec<String>),
    /// An earlier attempt of the same owner holds them and did not finish in time.
    #[error("an earlier attempt of the same order is still running")]
    OwnStillRunning,
    /// Redis could not be asked.
    #[error(transparent)]
    Away(#[from] RedisAway),
}

/// Leases that one of several requests asks for.
#[derive(Clone, Debug)]
pub struct LeaseRequest {
    /// Part of the mark that attempts of the same request share.
    pub owner: String,
    /// Owner whose leases this request takes over; empty for none.
    pub takes_over: String,
    /// Distinct names.
    pub names: Vec<String>,
}

/// Lease that the script of a fair lock takes with the place in its line.
#[derive(Clone, Debug)]
pub struct LeaseBeside {
    /// Handle that the lease is released with.
    pub(crate) redis: Redis,
    pub(crate) key: String,
    pub(crate) owner: String,
    pub(crate) token: String,
    pub(crate) length: Duration,
}

/// Held leases. Dropping the guard releases them as well, without waiting.
#[derive(Debug)]
pub struct Lease {
    marks: Marks,
    is_released: bool,
}

impl Lease {
    /// Takes the leases of all `names` in `scope` at once, or none, for at most `length`. Waits
    /// only for an earlier attempt of the same `owner`, for at most two seconds.
    pub async fn take<N: ToString>(
        redis: &Redis,
        scope: &impl ToString,
        names: impl IntoIterator<Item = N>,
        owner: &str,
        length: Duration,
    ) -> Result<Self, LeaseError> {
        let names: BTreeSet<String> = names.into_iter().map(|name| name.to_string()).collect();
        let (owner, takes_over) = (owner.to_owned(), String::new());
        let request = LeaseRequest { owner, takes_over, names: Vec::from_iter(names) };
        Self::take_request(redis, scope, &request, length).await
    }

    /// Prepares the lease of one `name` in `scope` for at most `length`, which
    /// [`FairLocks::take_with`](super::FairLocks::take_with) takes; the guard releases it.
    pub fn beside(
        redis: &Redis,
        scope: &impl ToString,
        name: String,
        owner: &str,
        length: Duration,
    ) -> (Self, LeaseBeside) {
        let (owner, takes_over) = (owner.to_owned(), String::new());
        let request = LeaseRequest { owner: owner.clone(), takes_over, names: vec![name] };
        let marks = Marks::new(redis, &scope.to_string(), std::slice::from_ref(&request));
        let beside = LeaseBeside {
            redis: marks.redis.clone(),
            key: marks.keys.first().cloned().unwrap_or_default(),
            owner,
            token: marks.token.clone(),
            length,
        };
        (Self { marks, is_released: false }, beside)
    }

    /// Takes the leases of one request, like [`Lease::take`].
    pub async fn take_request(
        redis: &Redis,
        scope: &impl ToString,
        request: &LeaseRequest,
        length: Duration,
    ) -> Result<Self, LeaseError> {
        let begun = Instant::now();
        let waits_until = begun + OWN_WAIT_MAX;
        loop {
            match Self::take_once(redis, scope, request, length).await {
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
        scope: &impl ToString,
        request: &LeaseRequest,
        length: Duration,
    ) -> Result<Self, LeaseError> {
        let requests = std::slice::from_ref(request);
        let (lease, mut taken) = Self::take_each(redis, scope, requests, length).await?;
        taken.pop().unwrap_or(Ok(())).map(|()| lease)
    }

    /// Takes the leases of each of `requests` at once: for each, all or none. A name that several
    /// of them ask for is no obstacle: the caller decides which of them has it. Never waits for a
    /// lease. The results stand in the order of the requests.
    pub async fn take_each(
        redis: &Redis,
        scope: &impl ToString,
        requests: &[LeaseRequest],
        length: Duration,
    ) -> Result<(Self, Vec<Result<(), LeaseError>>), RedisAway> {
        // The guard is made before Redis is asked: when this future is dropped or fails half-way,
        // the guard releases all leases taken so far.
        let marks = Marks::new(redis, &scope.to_string(), requests);
        let mut lease = Self { marks, is_released: false };
        let mut call = TAKE.prepare_invoke();
        for key in lease.marks.keys.iter() {
            call.key(key);
        }
        let length_ms = u64::try_from(length.as_millis()).unwrap_or(u64::MAX);
        call.arg(&lease.marks.token).arg(length_ms);
        for request in requests {
            call.arg(&request.owner).arg(&request.takes_over).arg(request.names.len());
        }
        let held: Vec<(Vec<usize>, Vec<usize>)> = lease.marks.redis.run(&call).await?;
        let taken = requests.iter().zip(held).map(|(request, (others, own))| {
            if !others.is_empty() {
                let held = others.iter().filter_map(|idx| request.names.get(*idx).cloned());
                return Err(LeaseError::Held(held.collect()));
            }
            if own.is_empty() { Ok(()) } else { Err(LeaseError::OwnStillRunning) }
        });
        let taken: Vec<_> = taken.collect();
        // A refusal leaves nothing to release.
        lease.is_released = taken.iter().all(Result::is_err);
        Ok((lease, taken))
    }

    /// Releases the leases. The caller waits at most 100 ms; where Redis does not
    /// answer, the leases expire by themselves.
    pub async fn release(mut self) {
        if let Some(released) = self.release_behind() {
            // A late or failed release changes nothing for the caller.
            drop(tokio::time::timeout(RELEASE_WAIT_MAX, released).await);
        }
    }

    /// Releases all names once, in a task of its own that a dropped caller cannot stop.
    fn release_behind(&mut self) -> Option<tokio::task::JoinHandle<()>> {
        if std::mem::replace(&mut self.is_released, true) {
            return None;
        }
        let marks = self.marks.clone();
        let runtime = tokio::runtime::Handle::try_current().ok()?;
        Some(runtime.spawn(async move {
            if let Err(error) = marks.release().await {
                tracing::debug!(%error, "leases end by themselves");
            }
        }))
    }
}

impl Drop for Lease {
    fn drop(&mut self) {
        self.release_behind();
    }
}

/// Returns the key of the lease of `name` in `scope`.
pub fn lease_key(redis: &Redis, scope: &impl Display, name: impl Display) -> String {
    redis.key(format_args!("lease:{{{scope}}}:{name}"))
}

/// Keys of one attempt and the token in the marks that it writes into them.
#[derive(Clone, Debug)]
struct Marks {
    redis: Redis,
    keys: Arc<[String]>,
    token: String,
}

impl Marks {
    fn new(redis: &Redis, scope: &str, requests: &[LeaseRequest]) -> Self {
        let key = |name: &String| lease_key(redis, &scope, name);
        Self {
            // A cancelled attempt must release after having taken, so its commands stay in order.
            redis: redis.in_order(),
            keys: requests.iter().flat_map(|request| &request.names).map(key).collect(),
            token: Uuid::new_v4().simple().to_string(),
        }
    }

    async fn release(&self) -> Result<usize, RedisAway> {
        let mut call = RELEASE.prepare_invoke();
        for key in self.keys.iter() {
            call.key(key);
        }
        call.arg(&self.token);
        self.redis.run(&call).await
    }
}
