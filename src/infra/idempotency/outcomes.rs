//! Outcomes of the keyed requests that one transaction carries out together.

use std::collections::HashMap;

use serde::{Deserialize, Serialize, de::DeserializeOwned};
use serde_json::Value;
use uuid::Uuid;

use super::{KeyError, RequestKey, decoded};
use crate::infra::postgres::Connection;

/// Outcomes by request key: of earlier transactions, and added by this one.
///
/// Unlike [`RequestKey::claim`], the keys are written last. So the caller must hold a lock that
/// every attempt of the same kind of request takes before it reads the outcomes. A key that another
/// kind of request takes meanwhile is refused by its primary key, with everything else.
#[derive(Debug, Default)]
pub struct Outcomes {
    /// Fingerprint and answer of each request, by account and key.
    by_key: HashMap<(Uuid, Uuid), ([u8; 32], Value)>,
    added: Vec<RequestKey>,
}

/// Outcome that is stored under a key, as a function of the database returns it.
#[derive(Debug, Deserialize)]
pub struct KeptOutcome {
    account_id: Uuid,
    key: Uuid,
    /// Fingerprint in hexadecimal digits.
    fingerprint: String,
    outcome: Option<Value>,
}

/// Columns of outcomes to be stored, in the order of their keys.
#[derive(Debug, Default)]
pub struct NewOutcomes {
    /// Accounts that the keys are of.
    pub accounts: Vec<Uuid>,
    /// Request keys.
    pub keys: Vec<Uuid>,
    /// Fingerprints of the requests.
    pub fingerprints: Vec<Vec<u8>>,
    /// What the requests came to.
    pub outcomes: Vec<Value>,
}

impl Outcomes {
    /// Creates the outcomes that were found stored.
    pub fn of(kept: Vec<KeptOutcome>) -> Result<Self, KeyError> {
        let kept = kept.into_iter().map(|kept| {
            let mut fingerprint = [0; 32];
            hex::decode_to_slice(&kept.fingerprint, &mut fingerprint)
                .map_err(|_length| KeyError::Reused)?;
            Ok(((kept.account_id, kept.key), (fingerprint, kept.outcome.unwrap_or_default())))
        });
        Ok(Self { by_key: kept.collect::<Result<_, KeyError>>()?, added: Vec::new() })
    }

    /// Reads the outcomes stored under `keys`.
    pub async fn read(tx: &mut Connection, keys: &[&RequestKey]) -> Result<Self, KeyError> {
        if keys.is_empty() {
            return Ok(Self::default());
        }
        let (accounts, ids): (Vec<_>, Vec<_>) =
            keys.iter().map(|key| (key.account_id, key.key)).unzip();
        let rows = sqlx::query!(
            r#"
            select k.account_id, k.key, k.fingerprint, k.outcome
            from unnest($1::uuid[], $2::uuid[]) as asked (account_id, key)
            cross join lateral (
                select account_id, key, fingerprint, outcome from idempotency_keys
                where account_id = asked.account_id and key = asked.key
                limit 1
            ) k
            "#,
            &accounts,
            &ids,
        )
        .fetch_all(tx)
        .await?;
        let kept = rows.into_iter().map(|row| {
            let fingerprint = row.fingerprint.try_into().map_err(|_length| KeyError::Reused)?;
            Ok(((row.account_id, row.key), (fingerprint, row.outcome.unwrap_or_default())))
        });
        Ok(Self { by_key: kept.collect::<Result<_, KeyError>>()?, added: Vec::new() })
    }

    /// Returns the outcome under `key`; `None` if its request was not carried out.
    pub fn find<T: DeserializeOwned>(&self, key: &RequestKey) -> Result<Option<T>, KeyError> {
        match self.by_key.get(&(key.account_id, key.key)) {
            Some((fingerprint, _)) if *fingerprint != key.fingerprint => Err(KeyError::Reused),
            found => found.map(|(_, kept)| decoded(kept.clone())).transpose(),
        }
    }

    /// Adds the outcome of a request that this transaction carries out.
    pub fn add(&mut self, key: &RequestKey, outcome: &impl Serialize) {
        let kept = serde_json::to_value(outcome).unwrap_or_default();
        self.by_key.insert((key.account_id, key.key), (key.fingerprint, kept));
        self.added.push(key.clone());
    }

    /// Returns the added outcomes, to be stored last, before the commit.
    pub fn added(mut self) -> NewOutcomes {
        // Two transactions that add the same keys must not wait for each other.
        self.added.sort_by_key(RequestKey::id);
        let mut new = NewOutcomes::default();
        for key in self.added {
            new.accounts.push(key.account_id);
            new.keys.push(key.key);
            new.fingerprints.push(key.fingerprint.to_vec());
            let outcome = self.by_key.remove(&key.id());
            new.outcomes.push(outcome.map(|(_, kept)| kept).unwrap_or_default());
        }
        new
    }

    /// Stores the added outcomes. Call it last, before the commit.
    pub async fn write(self, tx: &mut Connection) -> Result<(), KeyError> {
        if self.added.is_empty() {
            return Ok(());
        }
        let NewOutcomes { accounts, keys, fingerprints, outcomes } = self.added();
        sqlx::query!(
            r#"
            insert into idempotency_keys (account_id, key, fingerprint, outcome)
            select * from unnest($1::uuid[], $2::uuid[], $3::bytea[], $4::jsonb[])
            "#,
            &accounts,
            &keys,
            &fingerprints,
            &outcomes,
        )
        .execute(tx)
        .await?;
        Ok(())
    }
}
