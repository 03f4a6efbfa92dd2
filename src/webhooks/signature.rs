//! Signatures as the Standard Webhooks specification says: HMAC with SHA-256 over the id, the time and
//! the body.

use base64::prelude::{BASE64_STANDARD, Engine as _};
use hmac::{Hmac, KeyInit as _, Mac as _};
use sha2::Sha256;

use super::secret::HookSecret;

/// Returns the value of the header `webhook-signature`: one signature by each of `secrets`.
pub(crate) fn sign(secrets: &[HookSecret], id: &str, timestamp: i64, body: &str) -> String {
    let signatures = secrets
        .iter()
        .filter_map(|secret| signature(secret.as_bytes(), &format!("{id}.{timestamp}.{body}")));
    signatures.collect::<Vec<_>>().join(" ")
}

fn signature(key: &[u8], signed: &str) -> Option<String> {
    // A key of any length is accepted.
    let mac = Hmac::<Sha256>::new_from_slice(key).ok()?.chain_update(signed).finalize();
    Some(format!("v1,{}", BASE64_STANDARD.encode(mac.into_bytes())))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The example of the specification's own libraries.
    #[test]
    fn a_signature_is_the_one_of_the_specification() {
        let key = BASE64_STANDARD.decode("MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw").unwrap();
        let signed = r#"msg_p5jXN8AQM9LWM0D4loKWxJek.1614265330.{"test": 2432232314}"#;
        let expected = "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=";
        assert_eq!(signature(&key, signed).as_deref(), Some(expected));
    }

    #[test]
    fn each_secret_signs() {
        let secrets = [HookSecret::generate(), HookSecret::generate()];
        let signed = sign(&secrets, "id", 1, "{}");
        let parts: Vec<&str> = signed.split(' ').collect();
        assert_eq!(parts.len(), 2);
        assert!(parts.iter().all(|part| part.starts_with("v1,")) && parts[0] != parts[1]);
    }
}
