//! The deployment's signing key: the one configured, or one that was made once and
//! is kept in the database, so that every instance signs alike.

use std::fmt;

use super::postgres::Pool;

/// The row of the key that nobody configured.
const NAME: &str = "signing-key";
const BYTES: usize = 32;

/// Signs what this deployment hands to browsers.
#[derive(Clone)]
pub struct SigningKey(Vec<u8>);

impl fmt::Debug for SigningKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SigningKey(..)")
    }
}

impl SigningKey {
    /// The key that was configured.
    pub fn configured(secret: &str) -> Self {
        Self(secret.as_bytes().to_vec())
    }

    /// The key of this database; made by whoever asks first.
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

    /// The key itself.
    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }
}
