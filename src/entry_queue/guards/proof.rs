//! Proof of work that a browser computes before it joins.
//!
//! A **challenge** is a signed statement (JWT, HS256) that an account may join a program once a
//! number is found for which the SHA-256 of the challenge's **seed**, a colon and the number in
//! decimal begins with the required number of zero bits. That takes 2^bits tries on average, and
//! one to check.

use std::fmt::Write;

use chrono::{DateTime, TimeDelta, Utc};
use jsonwebtoken::{Algorithm, DecodingKey, EncodingKey, Header, Validation};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use uuid::Uuid;

use super::model::Solved;
use crate::{accounts::AccountId, catalog::ProgramId, infra::secrets::SigningKey};

/// Issuer claim that distinguishes challenges from entry passes, which the same key signs.
const ISSUER: &str = "stagedoor/join-proof";
/// Time for which a challenge is accepted.
const CHALLENGE_LIVES: TimeDelta = TimeDelta::minutes(10);
/// Assumed speed of a browser in tries per second: an older phone, on one core.
const TRIES_PER_SECOND: u64 = 1 << 19;
/// Characters of a seed: with the colon and the number it fits one block of SHA-256.
const SEED_CHARS: usize = 32;
/// Upper bound of the digits of a number that solves a challenge.
const NONCE_CHARS_MAX: usize = 16;

/// Returns the average seconds of work for `bits`; a wait in place of work lasts as long.
pub fn secs_of(bits: i32) -> i64 {
    let tries = 1_u64.checked_shl(u32::try_from(bits).unwrap_or(0)).unwrap_or(u64::MAX);
    i64::try_from(tries.div_ceil(TRIES_PER_SECOND)).unwrap_or(i64::MAX)
}

/// Work that is set for one account and one program.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Challenge {
    /// Signed text, to be sent back with the number.
    #[serde(rename = "challenge")]
    pub text: String,
    /// Text that the number is tried with.
    pub seed: String,
    /// Required zero bits.
    pub difficulty: i32,
    /// Average time of the work, in seconds.
    pub expected_seconds: i64,
    /// Moment until which the answer is accepted.
    pub expires_at: DateTime<Utc>,
}

#[derive(Serialize, Deserialize)]
struct Claims {
    iss: String,
    sub: Uuid,
    aud: Uuid,
    bits: i32,
    /// Moment at which the work was set, in microseconds since the epoch.
    set_at_us: i64,
    /// Random id that makes every challenge distinct.
    jti: Uuid,
}

impl Challenge {
    /// Sets work of `bits` at `now` by the database's clock.
    pub fn set(
        key: &SigningKey,
        account_id: AccountId,
        program_id: ProgramId,
        bits: i32,
        now: DateTime<Utc>,
    ) -> Result<Self, jsonwebtoken::errors::Error> {
        let claims = Claims {
            iss: ISSUER.to_owned(),
            sub: account_id.0,
            aud: program_id.0,
            bits,
            set_at_us: now.timestamp_micros(),
            jti: Uuid::new_v4(),
        };
        let key = EncodingKey::from_secret(key.as_bytes());
        let challenge = jsonwebtoken::encode(&Header::new(Algorithm::HS256), &claims, &key)?;
        Ok(Self {
            seed: seed_of(&challenge),
            text: challenge,
            difficulty: bits,
            expected_seconds: secs_of(bits),
            expires_at: now + CHALLENGE_LIVES,
        })
    }
}

fn seed_of(challenge: &str) -> String {
    let digest = Sha256::digest(challenge);
    let mut seed = String::new();
    for byte in digest.iter().take(SEED_CHARS / 2) {
        // Writing to a `String` cannot fail.
        let _ = write!(seed, "{byte:02x}");
    }
    seed
}

/// Challenge and the number that was found.
#[derive(Clone, Debug)]
pub struct Solution {
    pub challenge: String,
    pub nonce: String,
}

impl Solution {
    /// Returns the work if it was set for this account and this program, is not too old at `now`
    /// and was done. Whether it is hard enough and unused is decided by the batch.
    pub fn check(
        &self,
        key: &SigningKey,
        account_id: AccountId,
        program_id: ProgramId,
        now: DateTime<Utc>,
    ) -> Option<Solved> {
        let is_number = (1..=NONCE_CHARS_MAX).contains(&self.nonce.len())
            && self.nonce.bytes().all(|byte| byte.is_ascii_digit());
        if !is_number {
            return None;
        }
        let mut validation = Validation::new(Algorithm::HS256);
        validation.set_issuer(&[ISSUER]);
        validation.set_required_spec_claims(&["iss", "sub", "aud"]);
        // Account, program and age are compared below.
        validation.validate_aud = false;
        validation.validate_exp = false;
        let key = DecodingKey::from_secret(key.as_bytes());
        let claims =
            jsonwebtoken::decode::<Claims>(&self.challenge, &key, &validation).ok()?.claims;
        let set_at = DateTime::from_timestamp_micros(claims.set_at_us)?;
        let is_theirs = claims.sub == account_id.0 && claims.aud == program_id.0;
        let is_done = zero_bits(&seed_of(&self.challenge), &self.nonce) >= claims.bits;
        let is_good = is_theirs && is_done && now < set_at + CHALLENGE_LIVES;
        is_good.then_some(Solved { set_at, bits: claims.bits })
    }
}

/// Returns the zero bits at the beginning of the digest of `seed` and `nonce`.
fn zero_bits(seed: &str, nonce: &str) -> i32 {
    let digest = Sha256::digest(format!("{seed}:{nonce}"));
    let first = digest.first_chunk::<8>().copied().unwrap_or([u8::MAX; 8]);
    i32::try_from(u64::from_be_bytes(first).leading_zeros()).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    const BITS: i32 = 8;

    fn key() -> SigningKey {
        SigningKey::configured("a key of some length, 32 bytes.")
    }

    fn solve(challenge: &Challenge) -> Solution {
        let found = (0..u64::MAX)
            .find(|nonce| zero_bits(&challenge.seed, &nonce.to_string()) >= challenge.difficulty);
        Solution { challenge: challenge.text.clone(), nonce: found.unwrap_or_default().to_string() }
    }

    #[test]
    fn work_counts_for_its_account_its_program_and_its_time() {
        let now = DateTime::from_timestamp(1_800_000_000, 0).unwrap();
        let (ada, bob) = (AccountId(Uuid::now_v7()), AccountId(Uuid::now_v7()));
        let (program, other) = (ProgramId(Uuid::now_v7()), ProgramId(Uuid::now_v7()));
        let set = Challenge::set(&key(), ada, program, BITS, now).unwrap();
        assert_eq!((set.seed.len(), set.expires_at), (SEED_CHARS, now + CHALLENGE_LIVES));
        let solved = solve(&set);
        let check = |account, program, at| solved.check(&key(), account, program, at);
        assert_eq!(check(ada, program, now).unwrap().bits, BITS);
        assert!(check(bob, program, now).is_none());
        assert!(check(ada, other, now).is_none());
        assert!(check(ada, program, now + CHALLENGE_LIVES).is_none());
        let foreign = SigningKey::configured("another key of some length, 32 b");
        assert!(solved.check(&foreign, ada, program, now).is_none());
    }

    #[test]
    fn work_that_was_not_done_counts_for_nothing() {
        let now = DateTime::from_timestamp(1_800_000_000, 0).unwrap();
        let (ada, program) = (AccountId(Uuid::now_v7()), ProgramId(Uuid::now_v7()));
        let set = Challenge::set(&key(), ada, program, BITS, now).unwrap();
        let idle =
            (0..u64::MAX).find(|nonce| zero_bits(&set.seed, &nonce.to_string()) < BITS).unwrap();
        let mut nonces = vec![idle.to_string(), String::new(), "x".to_owned(), "-1".to_owned()];
        nonces.push("0".repeat(17));
        let is_work = |nonce: &String| zero_bits(&set.seed, nonce) >= BITS;
        nonces.extend((0..u64::MAX).map(|nonce| format!("x{nonce}")).find(is_work));
        for nonce in nonces {
            let tried = Solution { challenge: set.text.clone(), nonce };
            assert!(tried.check(&key(), ada, program, now).is_none(), "{tried:?}");
        }
        let easier = Challenge::set(&key(), ada, program, 0, now).unwrap();
        let forged = Solution { challenge: easier.text + "x", nonce: "1".to_owned() };
        assert!(forged.check(&key(), ada, program, now).is_none());
    }

    #[test]
    fn waiting_takes_as_long_as_working() {
        assert_eq!([8, 19, 20, 24].map(secs_of), [1, 1, 2, 32]);
    }
}
