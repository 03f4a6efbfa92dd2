//! Password hashes, made and checked a few at a time.
//!
//! argon2id with 19 MiB and two passes takes 20 ms of a core. A hundred at once would
//! take 1.9 GiB and every core from people who are buying; so they pass a gate
//! (`hash_line.rs`), in which no network keeps the others waiting.

pub(crate) mod hash_queue;
pub(crate) mod rules;

use std::{net::Ipv4Addr, sync::LazyLock, time::Duration};

use argon2::{Argon2, PasswordHasher, PasswordVerifier, password_hash::phc::PasswordHash};

use self::hash_queue::HashLine;
use super::{error::AccountError, model::Password};
use crate::infra::{limits::RateLimited, network::Network};

/// How long somebody who logs in waits in front of the gate.
const WAIT_MAX: Duration = Duration::from_secs(3);
/// How long somebody who signs up does: a class that was let into the line together is
/// served, also where a machine is slow.
const SIGN_UP_WAIT_MAX: Duration = Duration::from_secs(10);
/// What those are told who are refused.
const RETRY_AFTER_SECS: u64 = 3;

/// How many hashes one instance computes at once: one a core.
#[derive(Clone, Debug)]
pub struct PasswordGate(HashLine);

impl PasswordGate {
    /// A gate as wide as the machine.
    pub fn new() -> Self {
        let width = std::thread::available_parallelism().map_or(1, usize::from);
        Self(HashLine::new(width))
    }

    /// The hash to keep of `password`, in PHC format with its own salt, for somebody in
    /// `network`.
    pub async fn hash(&self, network: Network, password: Password) -> Result<String, AccountError> {
        self.pass(network, SIGN_UP_WAIT_MAX, move || hash(password.as_bytes())).await?
    }

    /// As [`PasswordGate::hash`], of a password that is written in the code.
    pub async fn hash_text(&self, text: &'static str) -> Result<String, AccountError> {
        let here = Network::of(Ipv4Addr::LOCALHOST.into());
        self.pass(here, SIGN_UP_WAIT_MAX, move || hash(text.as_bytes())).await?
    }

    /// Whether `password`, sent from `network`, belongs to `hash`. Without a hash it takes
    /// just as long and is false, so that time does not tell who has an account.
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
            // The next one begins when this one has ended, whether or not it was waited for.
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

/// A hash of a password that nobody has, with the parameters of all others.
static NOBODY: LazyLock<String> = LazyLock::new(|| {
    let unguessable: [u8; 32] = rand::random();
    let hash: Result<PasswordHash, _> = Argon2::default().hash_password(&unguessable);
    hash.map(|hash| hash.to_string()).unwrap_or_default()
});
