//! Secrets of authenticator apps, their codes, and recovery codes.

use std::fmt;

use sha2::{Digest, Sha256};
use totp_rs::{Algorithm, Builder, Secret, Totp};

use crate::accounts::model::{AccountId, TokenHash};

/// Digits of a code, and the seconds for which it is shown: what every authenticator app does.
const DIGITS: u8 = 6;
const STEP_SECS: u64 = 30;
/// Steps by which the clocks of a phone and of the database may differ.
const SKEW_STEPS: u16 = 1;
/// Letters between two dashes of a recovery code, and between two blanks of a secret.
const GROUP: usize = 4;
/// Upper bound of a code as typed, in bytes.
const TYPED_BYTES_MAX: usize = 64;

/// Length of a secret, in bytes: that of the hash, as RFC 4226 recommends.
pub(crate) const SECRET_BYTES: usize = 20;
/// Length of a recovery code, in bytes: 120 bits, so that SHA-256 alone may keep it.
const RECOVERY_BYTES: usize = 15;
/// Length of the recovery codes of version 0.1.0, which still work.
const OLD_RECOVERY_BYTES: usize = 10;

/// Secret that an authenticator app makes codes of. `Debug` does not show it.
#[derive(Clone)]
pub struct TotpSecret([u8; SECRET_BYTES]);

impl fmt::Debug for TotpSecret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("TotpSecret(..)")
    }
}

impl TotpSecret {
    pub(crate) fn generate() -> Self {
        Self(rand::random())
    }

    /// Returns the secret of `bytes`; `None` unless they are as many as a secret has.
    pub(crate) fn of_bytes(bytes: &[u8]) -> Option<Self> {
        bytes.try_into().ok().map(Self)
    }

    pub(crate) fn as_bytes(&self) -> &[u8] {
        &self.0
    }

    /// Returns the secret for typing into an app: base32 in groups.
    pub(crate) fn grouped(&self) -> String {
        grouped(&self.secret().to_base32(), " ")
    }

    /// Returns the address that apps read the secret from, by a QR code or a click; they list it under
    /// `issuer`, the name of the office.
    pub(crate) fn uri(&self, email: &str, issuer: &str) -> String {
        let escaped = |text: &str| -> String {
            url::form_urlencoded::byte_serialize(text.as_bytes()).collect()
        };
        // Apps read a plus sign as itself.
        let escaped = |text: &str| escaped(text).replace('+', "%20");
        let (secret, email, issuer) = (self.secret().to_base32(), escaped(email), escaped(issuer));
        format!("otpauth://totp/{issuer}:{email}?secret={secret}&issuer={issuer}")
    }

    /// Returns the step that `code` belongs to, if it is one of the steps around the moment
    /// `now_secs`, in seconds since the epoch.
    pub(crate) fn step_of(&self, code: &str, now_secs: i64) -> Option<i64> {
        let step = self.totp().check(code, u64::try_from(now_secs).ok()?)?;
        i64::try_from(step).ok()
    }

    fn secret(&self) -> Secret {
        Secret::new_stack(self.0)
    }

    fn totp(&self) -> Totp {
        Builder::new()
            .with_algorithm(Algorithm::SHA1)
            .with_digits(DIGITS)
            .with_skew(SKEW_STEPS)
            .with_step_duration(STEP_SECS)
            .with_secret(self.secret())
            .build_noncompliant()
    }
}

/// Code as typed. `Debug` does not show it.
#[derive(Clone)]
pub enum SignInCode {
    /// Of the authenticator app: six digits.
    App(String),
    /// One of the recovery codes.
    Recovery(RecoveryCode),
}

impl fmt::Debug for SignInCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SignInCode(..)")
    }
}

impl SignInCode {
    /// Parses a code, however it is grouped; `None` for anything that cannot be one.
    pub fn parse(text: &str) -> Option<Self> {
        if text.len() > TYPED_BYTES_MAX {
            return None;
        }
        let plain: String = text.chars().filter(|c| !c.is_whitespace() && *c != '-').collect();
        if plain.len() == usize::from(DIGITS) && plain.bytes().all(|byte| byte.is_ascii_digit()) {
            return Some(Self::App(plain));
        }
        RecoveryCode::parse(&plain).map(Self::Recovery)
    }
}

/// Code that replaces one of the app, once: 120 random bits. `Debug` does not show it.
#[derive(Clone)]
pub struct RecoveryCode(Vec<u8>);

impl fmt::Debug for RecoveryCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("RecoveryCode(..)")
    }
}

impl RecoveryCode {
    pub(crate) fn generate() -> Self {
        Self(rand::random::<[u8; RECOVERY_BYTES]>().to_vec())
    }

    /// Parses base32 without dashes. Digits that base32 lacks are taken for the letters that they
    /// are mistaken for.
    fn parse(plain: &str) -> Option<Self> {
        let letters: String = plain
            .chars()
            .map(|letter| match letter.to_ascii_uppercase() {
                '0' => 'O',
                '1' => 'I',
                '8' => 'B',
                other => other,
            })
            .collect();
        let bytes = Secret::try_from_base32(letters).ok()?.as_bytes().to_vec();
        [RECOVERY_BYTES, OLD_RECOVERY_BYTES].contains(&bytes.len()).then_some(Self(bytes))
    }

    /// Returns the code as it is shown: base32 in groups.
    pub(crate) fn grouped(&self) -> String {
        grouped(&Secret::from(self.0.clone()).to_base32(), "-")
    }

    /// Returns the SHA-256 that the database stores for a code of the account.
    pub(crate) fn hash(&self, account_id: AccountId) -> TokenHash {
        Sha256::new().chain_update(account_id.0).chain_update(&self.0).finalize().into()
    }
}

fn grouped(letters: &str, between: &str) -> String {
    let letters: Vec<char> = letters.chars().collect();
    let groups: Vec<String> = letters.chunks(GROUP).map(|group| group.iter().collect()).collect();
    groups.join(between)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The secret and the times of RFC 6238's appendix B, with the last six of its eight digits.
    #[test]
    fn codes_are_those_of_the_standard_and_of_their_step() {
        let secret = TotpSecret::of_bytes(b"12345678901234567890").unwrap();
        for (code, secs) in [("287082", 59), ("081804", 1_111_111_109), ("005924", 1_234_567_890)] {
            let step = secs / 30;
            for (now, found) in [(secs, true), (secs + 30, true), (secs + 60, false)] {
                assert_eq!(secret.step_of(code, now), found.then_some(step), "{code} at {now}");
            }
        }
        assert_eq!(secret.step_of("287082", -1), None);
    }

    #[test]
    fn a_code_is_read_however_it_is_grouped_and_nothing_else_is_one() {
        let recovery = RecoveryCode::generate();
        let shown = recovery.grouped();
        assert_eq!((shown.len(), shown.matches('-').count()), (29, 5));
        for typed in [shown.clone(), shown.to_lowercase(), shown.replace('-', " ")] {
            let Some(SignInCode::Recovery(read)) = SignInCode::parse(&typed) else { panic!() };
            assert_eq!(read.0, recovery.0);
        }
        for typed in ["123456", "123 456", " 123-456 "] {
            let Some(SignInCode::App(read)) = SignInCode::parse(typed) else { panic!("{typed}") };
            assert_eq!(read, "123456");
        }
        let Some(SignInCode::Recovery(old)) = SignInCode::parse("ABCD-EFGH-IJKL-MNOP") else {
            panic!()
        };
        assert_eq!(old.0.len(), OLD_RECOVERY_BYTES);
        let padded = |bytes: usize| format!("{:>bytes$}", "123456");
        assert!(SignInCode::parse(&padded(TYPED_BYTES_MAX)).is_some());
        assert!(SignInCode::parse(&padded(TYPED_BYTES_MAX + 1)).is_none());
        let long = "A".repeat(1_000);
        for nonsense in ["", "12345", "1234567", "１２３４５６", "AAAA-BBBB", "no code", &long]
        {
            assert!(SignInCode::parse(nonsense).is_none(), "{nonsense}");
        }
    }

    #[test]
    fn a_recovery_code_is_of_one_account() {
        let code = RecoveryCode::generate();
        let [ada, bob] = [1, 2].map(|nth| AccountId(uuid::Uuid::from_u128(nth)));
        assert_ne!(code.hash(ada), code.hash(bob));
        assert!(!format!("{code:?}").contains(&code.grouped()));
    }

    #[test]
    fn an_app_is_given_the_secret_by_hand_by_a_qr_code_or_by_a_click() {
        let secret = TotpSecret::of_bytes(b"12345678901234567890").unwrap();
        assert_eq!(secret.as_bytes(), b"12345678901234567890");
        assert_eq!(secret.grouped(), "GEZD GNBV GY3T QOJQ GEZD GNBV GY3T QOJQ");
        let uri = "otpauth://totp/Stagedoor:ada%2Btours%40example.com\
                   ?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ&issuer=Stagedoor";
        assert_eq!(secret.uri("ada+tours@example.com", "Stagedoor"), uri);
    }
}
