//! Password hashes, made and checked a few at a time.
//!
//! argon2id with 19 MiB and two passes takes 20 ms of a core. A hundred at once would
//! take 1.9 GiB and every core from people who are buying; so they pass a gate.

use std::{
    sync::{Arc, LazyLock},
    time::Duration,
};

use argon2::{Argon2, PasswordHasher, PasswordVerifier, password_hash::phc::PasswordHash};
use tokio::sync::Semaphore;

use super::{error::AccountError, model::Password};
use crate::web::limits::RateLimited;

/// How long somebody waits in front of the gate.
const WAIT_MAX: Duration = Duration::from_secs(10);
/// What they are told to wait after that.
const RETRY_AFTER_SECS: u64 = 5;

/// How many hashes one instance computes at once: one a core.
#[derive(Clone, Debug)]
pub struct PasswordGate(Arc<Semaphore>);

impl PasswordGate {
    /// A gate as wide as the machine.
    pub fn new() -> Self {
        let width = std::thread::available_parallelism().map_or(1, usize::from);
        Self(Arc::new(Semaphore::new(width)))
    }

    /// The hash to keep of `password`, in PHC format with its own salt.
    pub async fn hash(&self, password: Password) -> Result<String, AccountError> {
        self.pass(move || hash(password.as_bytes())).await?
    }

    /// As [`PasswordGate::hash`], of a password that is written in the code.
    pub async fn hash_text(&self, text: &'static str) -> Result<String, AccountError> {
        self.pass(move || hash(text.as_bytes())).await?
    }

    /// Whether `password` belongs to `hash`. Without a hash it takes just as long
    /// and is false, so that time does not tell who has an account.
    pub async fn verify(
        &self,
        password: Password,
        hash: Option<String>,
    ) -> Result<bool, AccountError> {
        let is_known = hash.is_some();
        let hash = hash.unwrap_or_else(|| NOBODY.clone());
        let fits = self
            .pass(move || {
                PasswordHash::new(&hash).is_ok_and(|hash| {
                    Argon2::default().verify_password(password.as_bytes(), &hash).is_ok()
                })
            })
            .await?;
        Ok(fits && is_known)
    }

    async fn pass<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, AccountError> {
        let crowded = RateLimited { retry_after_secs: RETRY_AFTER_SECS };
        let waited = tokio::time::timeout(WAIT_MAX, self.0.clone().acquire_owned()).await;
        let Ok(Ok(_permit)) = waited else { return Err(crowded.into()) };
        tokio::task::spawn_blocking(work)
            .await
            .map_err(|error| AccountError::Hashing(error.to_string()))
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
