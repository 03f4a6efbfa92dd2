//! Password hashes, computed a bounded number at a time.
//!
//! argon2id with 19 MiB and two passes takes 20 ms of a core. A hundred at once would take 1.9
//! GiB and every core from the requests of buyers, so hashes pass a gate (`hash_queue.rs`), in
//! which no network keeps the others waiting.

pub(crate) mod hash_queue;
pub(crate) mod rules;

use std::{net::Ipv4Addr, sync::LazyLock, time::Duration};

use argon2::{Argon2, PasswordHasher, PasswordVerifier, password_hash::phc::PasswordHash};

use self::hash_queue::HashQueue;
use super::{error::AccountError, model::Password};
use crate::infra::{limits::RateLimited, network::Network};

/// Longest wait for a hash at log-in.
const WAIT_MAX: Duration = Duration::from_secs(3);
/// Longest wait for a hash at sign-up: long enough for every request that the queue accepts of
/// one network, also on a slow machine.
const SIGN_UP_WAIT_MAX: Duration = Duration::from_secs(10);
/// Seconds after which a refused request may try again.
const RETRY_AFTER_SECS: u64 = 3;

/// Bound on concurrent hashes of one instance: one per core.
#[derive(Clone, Debug)]
pub struct PasswordGate(HashQueue);

impl PasswordGate {
    /// Creates a gate as wide as the machine has cores.
    pub fn new() -> Self {
        let width = std::thread::available_parallelism().map_or(1, usize::from);
        Self(HashQueue::new(width))
    }

    /// Returns the hash of `password` to store, in PHC format with a fresh salt; `network` is
    /// the one that waits in the queue.
    pub async fn hash(&self, network: Network, password: Password) -> Result<String, AccountError> {
        self.pass(network, SIGN_UP_WAIT_MAX, move || hash(password.as_bytes())).await?
    }

    /// Returns the hash of a password written in the code, as [`PasswordGate::hash`] does.
    pub async fn hash_text(&self, text: &'static str) -> Result<String, AccountError> {
        let here = Network::of(Ipv4Addr::LOCALHOST.into());
        self.pass(here, SIGN_UP_WAIT_MAX, move || hash(text.as_bytes())).await?
    }

    /// Returns whether `password`, sent from `network`, matches `hash`. Without a hash the
    /// result is false and takes as long, so that timing does not reveal which accounts exist.
    pub async fn verify(
        &self,
        network: Network,
        password: Password,
        hash: Option<String>,
    ) -> Result<bool, AccountError> {
        let is_known = hash.is_some();
        let hash = hash.unwrap_or_else(|| NOBODY.clone());
        let work = move || {
            PasswordHash::new(&hash).is_ok_and(|hash| {
                Argon2::default().verify_password(password.as_bytes(), &hash).is_ok()
            })
        };
        let fits = self.pass(network, WAIT_MAX, work).await?;
        Ok(fits && is_known)
    }

    async fn pass<T: Send + 'static>(
        &self,
        network: Network,
        wait_max: Duration,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, AccountError> {
        let crowded = || AccountError::Crowded(RateLimited { retry_after_secs: RETRY_AFTER_SECS });
        let entered = self.0.enter(network).ok_or_else(crowded)?;
        let Ok(Ok(permit)) = tokio::time::timeout(wait_max, entered).await else {
            return Err(crowded());
        };
        let worked = tokio::task::spawn_blocking(move || {
            let done = work();
            // The permit ends with the work, not with the caller's wait: a timed-out hash still
            // uses a core.
            drop(permit);
            done
        });
        worked.await.map_err(|error| AccountError::Hashing(error.to_string()))
    }
}

fn hash(password: &[u8]) -> Result<String, AccountError> {
    let hash: Result<PasswordHash, _> = Argon2::default().hash_password(password);
    hash.map(|hash| hash.to_string()).map_err(|error| AccountError::Hashing(error.to_string()))
}

impl Default for PasswordGate {
    fn default() -> Self {
        Self::new()
    }
}

/// Hash of an unguessable password, with the parameters of all others.
static NOBODY: LazyLock<String> = LazyLock::new(|| {
    let unguessable: [u8; 32] = rand::random();
    let hash: Result<PasswordHash, _> = Argon2::default().hash_password(&unguessable);
    hash.map(|hash| hash.to_string()).unwrap_or_default()
});
