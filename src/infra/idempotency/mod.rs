//! Request keys: a request that arrives twice is carried out once and answered twice.
//!
//! A **request key** is a UUID that the caller made for one request. The **fingerprint** is a
//! digest of the request's content, route included: the same key with other content is refused.
//!
//! # Invariants
//!
//! * A key is kept only together with the work it stands for, in one transaction.
//! * A refusal keeps no key, so the same form may be sent again after a top-up.
//!
//! # Concurrency
//!
//! The row is inserted first in the work's own transaction, so a second attempt waits on the
//! insert, at most `lock_timeout`, and then reads the first one's outcome. An attempt that would
//! wait longer fails with [`KeyError::AlreadyProcessing`]. Requests that are carried out together
//! write their keys last, behind another lock ([`Outcomes`]); the same kind of request carried out
//! alone inserts its row behind that lock too, or each would wait for the other.

mod outcomes;

pub use outcomes::{NewOutcomes, Outcomes};
use serde::{Serialize, de::DeserializeOwned};
use serde_json::Value;
use sha2::{Digest, Sha256};
use sqlx::PgExecutor;
use uuid::Uuid;

use crate::infra::{
    postgres::{Connection, Pool, Transaction, is_lock_timeout, is_unavailable},
    sweep::Sweep,
};

/// Age after which keys may be deleted, in hours.
const KEPT_HOURS: i32 = 48;

/// Bounds of a deletion of old keys.
const OLD: Sweep = Sweep { rows_max: 5_000, parts_max: 20 };

/// Key and fingerprint of one account's request.
#[derive(Clone, Debug)]
pub struct RequestKey {
    account_id: Uuid,
    key: Uuid,
    fingerprint: [u8; 32],
}

/// Reasons for which a key does not lead to work.
#[derive(Debug, thiserror::Error)]
pub enum KeyError {
    /// The key stands for another request.
    #[error("the request key was used for another order")]
    Reused,
    /// The first attempt has not finished.
    #[error("the first attempt under this request key is still running")]
    AlreadyProcessing,
    /// PostgreSQL failed.
    #[error(transparent)]
    Database(#[from] sqlx::Error),
}

/// Outcome of claiming a key.
#[derive(Debug)]
pub enum Claim<T> {
    /// The key is new: the caller does the work, in this transaction.
    Ours,
    /// The work was done; this is its answer.
    Done(T),
}

impl RequestKey {
    /// Creates the key of `account_id` for `order` on `route`. Orders are the same when they
    /// serialize to the same JSON.
    pub fn new(account_id: Uuid, key: Uuid, route: &str, order: &impl Serialize) -> Self {
        let mut digest = Sha256::new();
        digest.update(route);
        digest.update([0]);
        // A struct of plain fields always serializes.
        digest.update(serde_json::to_vec(order).unwrap_or_default());
        Self { account_id, key, fingerprint: digest.finalize().into() }
    }

    /// Returns the account and the key.
    pub fn id(&self) -> (Uuid, Uuid) {
        (self.account_id, self.key)
    }

    /// Returns the answer to this request, if it was carried out. Call this before anything else,
    /// so that a double click that emptied the wallet is not refused for the points that its first
    /// half spent.
    pub async fn find_outcome<T: DeserializeOwned>(
        &self,
        db: &Pool,
    ) -> Result<Option<T>, KeyError> {
        self.outcome(db).await
    }

    /// Claims the key. This must be the first statement of the work's transaction, or the first behind
    /// the lock that requests of its kind take when they are carried out together.
    pub async fn claim<T: DeserializeOwned>(
        &self,
        tx: &mut Connection,
    ) -> Result<Claim<T>, KeyError> {
        let inserted = sqlx::query!(
            r#"
            insert into idempotency_keys (account_id, key, fingerprint)
            values ($1, $2, $3)
            on conflict do nothing
            "#,
            self.account_id,
            self.key,
            &self.fingerprint,
        )
        .execute(&mut *tx)
        .await
        .map_err(|error| match is_lock_timeout(&error) {
            true => KeyError::AlreadyProcessing,
            false => KeyError::Database(error),
        })?;
        if inserted.rows_affected() == 1 {
            return Ok(Claim::Ours);
        }
        // The conflict was with a committed row, which the next snapshot sees.
        self.outcome(tx).await?.map(Claim::Done).ok_or(KeyError::AlreadyProcessing)
    }

    /// Stores the answer under the key, before the commit.
    pub async fn keep(
        &self,
        tx: &mut Connection,
        outcome: &impl Serialize,
    ) -> Result<(), KeyError> {
        sqlx::query!(
            "update idempotency_keys set outcome = $3 where account_id = $1 and key = $2",
            self.account_id,
            self.key,
            serde_json::to_value(outcome).unwrap_or_default(),
        )
        .execute(tx)
        .await?;
        Ok(())
    }

    async fn outcome<T: DeserializeOwned>(
        &self,
        db: impl PgExecutor<'_>,
    ) -> Result<Option<T>, KeyError> {
        let row = sqlx::query!(
            "select fingerprint, outcome from idempotency_keys where account_id = $1 and key = $2",
            self.account_id,
            self.key,
        )
        .fetch_optional(db)
        .await?;
        let Some(row) = row else { return Ok(None) };
        if row.fingerprint != self.fingerprint {
            return Err(KeyError::Reused);
        }
        decoded(row.outcome.unwrap_or_default()).map(Some)
    }
}

fn decoded<T: DeserializeOwned>(kept: Value) -> Result<T, KeyError> {
    serde_json::from_value(kept)
        .map_err(|error| KeyError::Database(sqlx::Error::Decode(error.into())))
}

/// Stores `outcome` under the key and commits. When the answer to COMMIT is lost, the key shows
/// whether the work was done; where it cannot, the error is returned and the work is not repeated.
pub async fn commit_kept<T: Serialize + DeserializeOwned>(
    db: &Pool,
    mut tx: Transaction,
    key: Option<&RequestKey>,
    outcome: T,
) -> Result<T, KeyError> {
    if let Some(key) = key {
        key.keep(&mut tx, &outcome).await?;
    }
    let Err(lost) = tx.commit().await else { return Ok(outcome) };
    match key {
        Some(key) if is_unavailable(&lost) => key.find_outcome(db).await?.ok_or(lost.into()),
        _ => Err(lost.into()),
    }
}

/// Deletes the keys of an account, with the answers that they keep.
pub async fn delete_keys_of(tx: &mut Connection, account_id: Uuid) -> Result<(), sqlx::Error> {
    sqlx::query!("delete from idempotency_keys where account_id = $1", account_id)
        .execute(tx)
        .await?;
    Ok(())
}

/// Deletes keys older than [`KEPT_HOURS`], a bounded number in each call.
pub async fn purge_old_keys(db: &Pool) -> Result<(), sqlx::Error> {
    OLD.parts(|rows_max| purge_some(db, rows_max)).await
}

async fn purge_some(db: &Pool, rows_max: i64) -> Result<u64, sqlx::Error> {
    let purged = sqlx::query!(
        r#"
            delete from idempotency_keys
            where ctid = any(array(
                select ctid from idempotency_keys
                where created_at < now() - make_interval(hours => $1)
                order by created_at
                limit $2
                for update skip locked))
            "#,
        KEPT_HOURS,
        rows_max,
    )
    .execute(db)
    .await?;
    Ok(purged.rows_affected())
}
