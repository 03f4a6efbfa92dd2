//! Signing key of the deployment: configured, or generated once and kept in the database, so that
//! every instance signs alike.

use std::fmt;

use super::postgres::Pool;

/// Name of the generated key's row.
const NAME: &str = "signing-key";
const BYTES: usize = 32;

/// Key that signs what this deployment hands to browsers.
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
        let made: [u8; BYTES] = rand::random();
        sqlx::query!(
            "insert into secrets (name, value) values ($1, $2) on conflict do nothing",
            NAME,
            &made,
        )
        .execute(db)
        .await?;
        let key = sqlx::query_scalar!("select value from secrets where name = $1", NAME)
            .fetch_one(db)
            .await?;
        Ok(Self(key))
    }

    /// Returns the bytes of the key.
    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }
}
