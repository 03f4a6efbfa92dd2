//! Entry pass: signed proof of a stay that a browser shows to the booking pages.
//!
//! The pass is a JWT (HS256) that states that one account is admitted to one program until a
//! moment. A pass alone admits no account, because the live token is read as well; a pass that is
//! forged or foreign is refused. One that has ended says nothing: the stay may have been prolonged since.

use chrono::{DateTime, Utc};
use jsonwebtoken::{Algorithm, DecodingKey, EncodingKey, Header, Validation};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::model::{QueueNumber, Stay};
use crate::{accounts::AccountId, catalog::ProgramId, infra::secrets::SigningKey};

/// Issuer claim that distinguishes passes from other texts signed with the same key.
const ISSUER: &str = "stagedoor/entry-pass";

/// Claims of an entry pass.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct EntryPass {
    iss: String,
    /// Account of the stay.
    sub: Uuid,
    /// Program of the stay.
    aud: Uuid,
    number: QueueNumber,
    /// End of the stay and its holds, in seconds since the epoch.
    exp: i64,
}

impl EntryPass {
    /// Makes the pass of a stay.
    pub fn of(stay: &Stay) -> Self {
        Self {
            iss: ISSUER.to_owned(),
            sub: stay.account_id.0,
            aud: stay.program_id.0,
            number: stay.queue_number,
            exp: stay.expires_at.timestamp(),
        }
    }

    /// Returns the signed text for the cookie; `None` when signing failed.
    pub fn sign(&self, key: &SigningKey) -> Option<String> {
        let key = EncodingKey::from_secret(key.as_bytes());
        jsonwebtoken::encode(&Header::new(Algorithm::HS256), self, &key)
            .inspect_err(|error| tracing::error!(%error, "an entry pass could not be signed"))
            .ok()
    }

    /// Returns the pass in `text` if this deployment signed it and it has not expired at `now`.
    pub fn read(text: &str, key: &SigningKey, now: DateTime<Utc>) -> Option<Self> {
        Self::read_signed(text, key).filter(|pass| !pass.has_ended(now))
    }

    /// Returns the pass in `text` if this deployment signed it, also one that has ended.
    pub(crate) fn read_signed(text: &str, key: &SigningKey) -> Option<Self> {
        let mut validation = Validation::new(Algorithm::HS256);
        validation.set_issuer(&[ISSUER]);
        validation.set_required_spec_claims(&["exp", "iss", "sub", "aud"]);
        // The audience is compared by the caller, and the expiry below with the caller's clock.
        validation.validate_aud = false;
        validation.validate_exp = false;
        let key = DecodingKey::from_secret(key.as_bytes());
        jsonwebtoken::decode::<Self>(text, &key, &validation).ok().map(|pass| pass.claims)
    }

    /// Whether the pass has ended at `now`.
    pub(crate) fn has_ended(&self, now: DateTime<Utc>) -> bool {
        self.exp <= now.timestamp()
    }

    /// Whether the pass is for this program.
    pub fn is_of(&self, program_id: ProgramId) -> bool {
        self.aud == program_id.0
    }

    /// Returns the expiry, in seconds since the epoch.
    pub fn ends_at(&self) -> i64 {
        self.exp
    }

    /// Whether the pass is for this account and this program.
    pub fn is_for(&self, account_id: AccountId, program_id: ProgramId) -> bool {
        self.sub == account_id.0 && self.is_of(program_id)
    }

    /// Whether the pass states exactly this stay: account, program and queue number match.
    pub fn admits(&self, stay: &Stay) -> bool {
        self.is_for(stay.account_id, stay.program_id) && self.number == stay.queue_number
    }
}

#[cfg(test)]
mod tests {
    use chrono::TimeDelta;

    use super::*;
    use crate::entry_queue::model::TokenId;

    fn stay(now: DateTime<Utc>) -> Stay {
        Stay {
            token_id: TokenId(Uuid::now_v7()),
            program_id: ProgramId(Uuid::now_v7()),
            account_id: AccountId(Uuid::now_v7()),
            queue_number: QueueNumber(7),
            stay_ends_at: now + TimeDelta::minutes(10),
            expires_at: now + TimeDelta::minutes(10),
        }
    }

    #[test]
    fn a_pass_admits_its_own_stay_and_no_other() {
        let now = DateTime::from_timestamp(1_800_000_000, 0).unwrap();
        let (key, mine) = (SigningKey::configured("a key of some length, 32 bytes."), stay(now));
        let text = EntryPass::of(&mine).sign(&key).unwrap();
        let pass = EntryPass::read(&text, &key, now).unwrap();
        assert!(pass.admits(&mine));
        assert!(!pass.admits(&stay(now)));
        let other_person = Stay { account_id: AccountId(Uuid::now_v7()), ..mine.clone() };
        let other_program = Stay { program_id: ProgramId(Uuid::now_v7()), ..mine.clone() };
        assert!(!pass.admits(&other_person) && !pass.admits(&other_program));
        assert!(pass.is_of(mine.program_id) && !pass.is_of(other_program.program_id));
        assert_eq!(pass.ends_at(), mine.expires_at.timestamp());
        let rejoined = Stay { queue_number: QueueNumber(8), ..mine };
        assert!(!pass.admits(&rejoined));
    }

    #[test]
    fn a_forged_or_lapsed_pass_is_none() {
        let now = DateTime::from_timestamp(1_800_000_000, 0).unwrap();
        let key = SigningKey::configured("a key of some length, 32 bytes.");
        let text = EntryPass::of(&stay(now)).sign(&key).unwrap();
        let foreign_key = SigningKey::configured("another key of some length, 32 b");
        assert!(EntryPass::read(&text, &foreign_key, now).is_none());
        assert!(EntryPass::read(&text, &key, now + TimeDelta::minutes(10)).is_none());
        assert!(EntryPass::read("", &key, now).is_none());
        let (head, rest) = text.split_once('.').unwrap();
        let (claims, _) = rest.split_once('.').unwrap();
        assert!(EntryPass::read(&format!("{head}.{claims}."), &key, now).is_none());
        // {"alg":"none","typ":"JWT"}
        let unsigned = format!("eyJhbGciOiJub25lIiwidHlwIjoiSldUIn0.{claims}.");
        assert!(EntryPass::read(&unsigned, &key, now).is_none());
    }
}
