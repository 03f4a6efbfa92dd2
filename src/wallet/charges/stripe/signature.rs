//! Signatures of Stripe's messages: HMAC with SHA-256 over the time and the body.

use hmac::{Hmac, KeyInit as _, Mac as _};
use sha2::Sha256;

use crate::config::Secret;

/// Difference between the time of a signature and the clock at most, in seconds: an old message may
/// have been recorded on the way.
pub const TOLERANCE_SECS: i64 = 5 * 60;
/// Signatures read of one header. Stripe writes one for each secret of the endpoint.
const SIGNATURES_MAX: usize = 8;

/// Reason why a message is not Stripe's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SignatureError {
    /// The header is missing or cannot be read.
    #[error("malformed")]
    Malformed,
    /// None of the signatures was made with one of the secrets.
    #[error("wrong")]
    Wrong,
}

/// Returns when `body` was signed, in seconds since the epoch; fails unless `header` has a signature
/// that was made with one of `secrets`. Signatures are compared in constant time. The caller
/// compares the time with the database's clock.
pub fn verify(header: &str, body: &[u8], secrets: &[Secret]) -> Result<i64, SignatureError> {
    let fields = || header.split(',').filter_map(|field| field.trim().split_once('='));
    let time = fields().find(|(name, _)| *name == "t").map(|(_, value)| value);
    let time = time.ok_or(SignatureError::Malformed)?;
    let signed_at: i64 = time.parse().ok().ok_or(SignatureError::Malformed)?;
    let signatures = fields().filter(|(name, _)| *name == "v1").take(SIGNATURES_MAX);
    let signatures: Vec<[u8; 32]> = signatures.filter_map(|(_, value)| decoded(value)).collect();
    if signatures.is_empty() {
        return Err(SignatureError::Malformed);
    }
    let is_signed = secrets.iter().any(|secret| {
        signatures.iter().any(|signature| is_made_with(secret, time, body, signature))
    });
    if is_signed { Ok(signed_at) } else { Err(SignatureError::Wrong) }
}

fn is_made_with(secret: &Secret, time: &str, body: &[u8], signature: &[u8]) -> bool {
    // A key of any length is accepted.
    let Ok(mac) = Hmac::<Sha256>::new_from_slice(secret.expose().as_bytes()) else { return false };
    let mac = mac.chain_update(time).chain_update(b".").chain_update(body);
    mac.verify_slice(signature).is_ok()
}

/// Decodes 32 bytes in hexadecimal digits.
fn decoded(text: &str) -> Option<[u8; 32]> {
    let mut bytes = [0; 32];
    if text.len() != 2 * bytes.len() {
        return None;
    }
    for (byte, digits) in bytes.iter_mut().zip(text.as_bytes().chunks(2)) {
        let digits = str::from_utf8(digits).ok()?;
        *byte = u8::from_str_radix(digits, 16).ok()?;
    }
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    const BODY: &[u8] = br#"{"id":"evt_1"}"#;

    fn secret(text: &str) -> Secret {
        Secret::of(text)
    }

    fn sign(secret: &str, time: i64, body: &[u8]) -> String {
        let mac = Hmac::<Sha256>::new_from_slice(secret.as_bytes()).unwrap();
        let mac = mac.chain_update(format!("{time}.")).chain_update(body).finalize();
        mac.into_bytes().iter().fold(String::new(), |hex, byte| hex + &format!("{byte:02x}"))
    }

    #[test]
    fn a_message_is_signed_by_any_secret_in_any_signature() {
        let secrets = [secret("new"), secret("old")];
        let (new, old) = (sign("new", 1_000, BODY), sign("old", 1_000, BODY));
        let other = sign("other", 1_000, BODY);
        for header in [
            format!("t=1000,v1={new}"),
            format!("t=1000,v1={old}"),
            format!("t=1000, v0=abc, v1={other}, v1={old}"),
        ] {
            assert_eq!(verify(&header, BODY, &secrets), Ok(1_000), "{header}");
        }
        let refused = verify(&format!("t=1000,v1={other}"), BODY, &secrets);
        assert_eq!(refused, Err(SignatureError::Wrong));
        assert_eq!(
            verify(&format!("t=1000,v1={new}"), b"{}", &secrets),
            Err(SignatureError::Wrong)
        );
        // The time is signed too.
        assert_eq!(verify(&format!("t=1001,v1={new}"), BODY, &secrets), Err(SignatureError::Wrong));
    }

    #[test]
    fn what_is_no_signature_is_refused() {
        let long = "0".repeat(64);
        for header in [
            String::new(),
            "t=1000".to_owned(),
            format!("v1={long}"),
            format!("t=soon,v1={long}"),
            "t=1000,v1=".to_owned(),
            format!("t=1000,v1={}", "\u{e9}".repeat(32)),
            format!("t=1000,v1={}", "g".repeat(64)),
        ] {
            let refused = verify(&header, BODY, &[secret("key")]);
            assert_eq!(refused, Err(SignatureError::Malformed), "{header}");
        }
        let header = format!("t=1000,v1={long}");
        assert_eq!(verify(&header, BODY, &[secret("k")]), Err(SignatureError::Wrong));
        assert_eq!(verify(&header, BODY, &[]), Err(SignatureError::Wrong));
    }
}
