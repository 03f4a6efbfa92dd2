//! Known device: a browser on which an account was logged in to before.
//!
//! A signed cookie proves it. The cookie authorizes nothing; it only gives its holder a failure
//! count apart from the one that strangers share when they guess the account's password
//! (`guesses.rs`). The cookie survives a log-out, because the owner logs in again after that.

use chrono::{DateTime, Utc};
use jsonwebtoken::{Algorithm, DecodingKey, EncodingKey, Header, Validation};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::guesses::AccountKey;
use crate::infra::secrets::SigningKey;

/// JWT issuer; separates these tokens from others signed with the same key.
const ISSUER: &str = "stagedoor/known-device";
/// Days a device stays known after the last log-in on it.
pub(crate) const KNOWN_DAYS: i64 = 180;

/// JWT claims of the cookie.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Claims {
    iss: String,
    /// Encoded [`AccountKey`].
    sub: String,
    /// Device id.
    jti: Uuid,
    /// Expiry, in seconds since the epoch.
    exp: i64,
}

/// Signs a token that `account` was logged in to on a new device; `None` if signing fails.
pub fn sign(account: AccountKey, key: &SigningKey, now: DateTime<Utc>) -> Option<String> {
    let exp = (now + chrono::TimeDelta::days(KNOWN_DAYS)).timestamp();
    let claims = Claims { iss: ISSUER.to_owned(), sub: account.encode(), jti: Uuid::new_v4(), exp };
    let key = EncodingKey::from_secret(key.as_bytes());
    jsonwebtoken::encode(&Header::new(Algorithm::HS256), &claims, &key)
        .inspect_err(|error| tracing::error!(%error, "a known device could not be signed"))
        .ok()
}

/// Returns the device id in `text` if this deployment signed it for `account` and it has not
/// expired at `now`.
pub fn read(
    text: &str,
    account: AccountKey,
    key: &SigningKey,
    now: DateTime<Utc>,
) -> Option<String> {
    let mut validation = Validation::new(Algorithm::HS256);
    validation.set_issuer(&[ISSUER]);
    validation.set_required_spec_claims(&["exp", "iss", "sub"]);
    // The expiry is checked below, by the caller's clock.
    validation.validate_exp = false;
    let key = DecodingKey::from_secret(key.as_bytes());
    let claims = jsonwebtoken::decode::<Claims>(text, &key, &validation).ok()?.claims;
    let is_known = claims.sub == account.encode() && now.timestamp() < claims.exp;
    is_known.then(|| claims.jti.to_string())
}

#[cfg(test)]
mod tests {
    use chrono::TimeDelta;

    use super::*;
    use crate::text::email::Email;

    #[test]
    fn a_device_is_known_for_its_account_and_for_a_while() {
        let account = |email: &str| AccountKey::of(&Email::parse(email).unwrap());
        let [ours, theirs] = ["our key", "their key"].map(SigningKey::configured);
        let (ada, now) = (account("ada@b.example"), DateTime::UNIX_EPOCH);
        let cookie = sign(ada, &ours, now).unwrap();
        assert!(read(&cookie, ada, &ours, now).is_some());
        assert!(read(&cookie, account("bob@b.example"), &ours, now).is_none());
        assert!(read(&cookie, ada, &theirs, now).is_none());
        assert!(read(&cookie, ada, &ours, now + TimeDelta::days(KNOWN_DAYS)).is_none());
        assert!(read("nonsense", ada, &ours, now).is_none());
    }
}
