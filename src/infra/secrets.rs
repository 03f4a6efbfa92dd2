//! Secrets of the deployment: configured, or generated once and kept in the database, so that every
//! instance has the same.

use std::{fmt, sync::Arc};

use aws_lc_rs::hmac;

use super::{postgres::Pool, tlog::LogKey};

/// Length of a generated secret.
const BYTES: usize = 32;

/// Key that signs the cookies, passes and links of this deployment, and seals secrets.
#[derive(Clone)]
pub struct SigningKey(Vec<u8>);

impl fmt::Debug for SigningKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SigningKey(..)")
    }
}

impl SigningKey {
    /// Returns the configured key.
    pub fn configured(secret: &str) -> Self {
        Self(secret.as_bytes().to_vec())
    }

    /// Returns the key kept in this database; the first call generates it.
    pub async fn of_database(db: &Pool) -> Result<Self, sqlx::Error> {
        kept(db, "signing-key").await.map(Self)
    }

    /// Returns the bytes of the key.
    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }
}

/// Secret of the public logs, with the key that signs them and the keys from which the salts of
/// receipts and the seeds of draws are derived. Clones share it.
#[derive(Clone)]
pub struct LogSecret(Arc<LogKeys>);

struct LogKeys {
    signer: LogKey,
    salts: hmac::Key,
    seeds: hmac::Key,
}

impl fmt::Debug for LogSecret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("LogSecret(..)")
    }
}

impl LogSecret {
    /// Returns the configured secret.
    pub fn configured(secret: &str) -> Self {
        Self::of(secret.as_bytes())
    }

    /// Returns the secret kept in this database; the first call generates it.
    pub async fn of_database(db: &Pool) -> Result<Self, sqlx::Error> {
        Ok(Self::of(&kept(db, "log-secret").await?))
    }

    fn of(secret: &[u8]) -> Self {
        let secret = hmac::Key::new(hmac::HMAC_SHA256, secret);
        let signer = LogKey::of_seed(&hmac_of(&secret, b"stagedoor/log-key"));
        let salts = hmac::Key::new(hmac::HMAC_SHA256, &hmac_of(&secret, b"stagedoor/log-salts"));
        let seeds = hmac::Key::new(hmac::HMAC_SHA256, &hmac_of(&secret, b"stagedoor/draw-seeds"));
        Self(Arc::new(LogKeys { signer, salts, seeds }))
    }

    /// Returns the key that signs the logs.
    pub fn signer(&self) -> &LogKey {
        &self.0.signer
    }

    /// Returns the salt of a subject, always the same.
    pub fn salt_of(&self, subject: &[u8]) -> [u8; 32] {
        hmac_of(&self.0.salts, subject)
    }

    /// Returns the seed of a draw, always the same. No database contains it, if the secret is
    /// configured.
    pub fn seed_of(&self, subject: &[u8]) -> [u8; 32] {
        hmac_of(&self.0.seeds, subject)
    }
}

/// Returns the HMAC-SHA256 of `data`.
fn hmac_of(key: &hmac::Key, data: &[u8]) -> [u8; 32] {
    let mut bytes = [0; 32];
    bytes.copy_from_slice(hmac::sign(key, data).as_ref());
    bytes
}

/// Returns the secret with a name; the first call generates it.
async fn kept(db: &Pool, name: &str) -> Result<Vec<u8>, sqlx::Error> {
    let made: [u8; BYTES] = rand::random();
    sqlx::query!(
        "insert into secrets (name, value) values ($1, $2) on conflict do nothing",
        name,
        &made,
    )
    .execute(db)
    .await?;
    sqlx::query_scalar!("select value from secrets where name = $1", name).fetch_one(db).await
}
