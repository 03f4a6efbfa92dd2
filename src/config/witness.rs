//! Witness of the public logs: its key, and where it is asked.

use std::str::FromStr;

use base64::{Engine, engine::general_purpose::STANDARD};
use ed25519_dalek::VerifyingKey;
use signed_note::{is_key_name_valid, key_id};
use url::Url;

use super::reader::Reader;

/// Name of the setting.
const SETTING: &str = "LOG_WITNESSES";
/// Key that checks the cosignatures of one witness: a name, an id and a public key, joined by `+` as
/// `signed-note` writes them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WitnessKey {
    text: String,
    name: String,
    id: u32,
    public: VerifyingKey,
}

/// The text is no key of a witness.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("this is no key of a witness; one looks like `witness.example/w1+0a1b2c3d+BA…`")]
pub struct WitnessKeyError;

impl WitnessKey {
    /// First byte of a public and of a secret key: a cosignature with Ed25519.
    pub const ALGORITHM: u8 = 4;

    /// Returns the key of the witness `name` whose public key is `public`; fails with
    /// [`WitnessKeyError`] if the name is empty, or has a space or a `+`.
    pub fn of(name: &str, public: VerifyingKey) -> Result<Self, WitnessKeyError> {
        if !is_key_name_valid(name) {
            return Err(WitnessKeyError);
        }
        let key = [&[Self::ALGORITHM], public.as_bytes().as_slice()].concat();
        let id = key_id(name, &key);
        let text = format!("{name}+{id:08x}+{}", STANDARD.encode(&key));
        Ok(Self { text, name: name.to_owned(), id, public })
    }

    /// Returns the whole key as text.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Returns the name of the witness.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the id that stands in each of its cosignatures.
    pub fn id(&self) -> u32 {
        self.id
    }

    /// Returns the public key.
    pub fn public(&self) -> &VerifyingKey {
        &self.public
    }
}

impl FromStr for WitnessKey {
    type Err = WitnessKeyError;

    fn from_str(text: &str) -> Result<Self, WitnessKeyError> {
        let parsed = || {
            let (name, rest) = text.split_once('+')?;
            let (_, key) = rest.split_once('+')?;
            let key = STANDARD.decode(key).ok()?;
            let (Self::ALGORITHM, public) = (*key.first()?, key.get(1..)?) else { return None };
            let public = VerifyingKey::from_bytes(public.try_into().ok()?).ok()?;
            Self::of(name, public).ok().filter(|key| key.text == text)
        };
        parsed().ok_or(WitnessKeyError)
    }
}

/// Witness that is asked to cosign the public logs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WitnessConfig {
    /// Key that checks its answers.
    pub key: WitnessKey,
    /// Where it is asked: the prefix of `/add-checkpoint`.
    pub url: Url,
}

impl WitnessConfig {
    /// Upper bound of the witnesses of one office: each is asked about each log.
    pub const MAX: usize = 4;
}

/// Reads the witnesses; more than [`WitnessConfig::MAX`], or one twice, are a mistake.
pub(super) fn read(reader: &mut Reader<impl Fn(&str) -> Option<String>>) -> Vec<WitnessConfig> {
    let witnesses: Vec<WitnessConfig> = reader.list(SETTING).unwrap_or_default();
    let is_twice = |(nth, witness): (usize, &WitnessConfig)| {
        witnesses.iter().take(nth).any(|other| other.key.name() == witness.key.name())
    };
    if witnesses.iter().enumerate().any(is_twice) {
        reader.reject(SETTING, "names a witness twice.");
    }
    if witnesses.len() > WitnessConfig::MAX {
        reader.reject(SETTING, &format!("names more than {} witnesses.", WitnessConfig::MAX));
    }
    witnesses
}

/// The text is no key and address.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a witness is its key, a space and its address")]
pub struct WitnessConfigError;

impl FromStr for WitnessConfig {
    type Err = WitnessConfigError;

    fn from_str(text: &str) -> Result<Self, WitnessConfigError> {
        let (key, url) = text.split_once(char::is_whitespace).ok_or(WitnessConfigError)?;
        let key = key.parse().ok().ok_or(WitnessConfigError)?;
        let url: Url = url.trim().parse().ok().ok_or(WitnessConfigError)?;
        let is_http = ["http", "https"].contains(&url.scheme());
        is_http.then_some(Self { key, url }).ok_or(WitnessConfigError)
    }
}

#[cfg(test)]
mod tests {
    use ed25519_dalek::SigningKey;

    use super::*;

    fn key() -> WitnessKey {
        let public = SigningKey::from_bytes(&[7; 32]).verifying_key();
        WitnessKey::of("witness.example/w1", public).unwrap()
    }

    #[test]
    fn the_id_is_made_as_the_specification_says() {
        // The key of the example in `tlog-cosignature` is not published; this is the definition.
        use sha2::{Digest, Sha256};
        let key = key();
        let bytes = [b"witness.example/w1\n\x04", key.public().as_bytes().as_slice()].concat();
        let id: [u8; 4] = Sha256::digest(bytes)[..4].try_into().unwrap();
        assert_eq!(key.id(), u32::from_be_bytes(id));
        assert_eq!(key.text().parse(), Ok(key));
    }

    #[test]
    fn what_is_no_key_of_a_witness_is_refused() {
        let key = key();
        let text = key.text();
        let log_key = signed_note::new_ed25519_verifier_key("witness.example/w1", key.public());
        for refused in ["", "w1", &text[1..], &text[..text.len() - 1], &log_key, "a+b+c"] {
            assert_eq!(refused.parse::<WitnessKey>(), Err(WitnessKeyError), "{refused}");
        }
        assert!(WitnessKey::of("two words", *key.public()).is_err());
    }

    #[test]
    fn witnesses_are_few_and_none_is_named_twice() {
        let witness = |nth: u8| {
            let public = SigningKey::from_bytes(&[nth; 32]).verifying_key();
            let key = WitnessKey::of(&format!("w{nth}"), public).unwrap();
            format!("{} http://127.0.0.1:9", key.text())
        };
        let mistakes = |numbers: &[u8]| {
            let list: Vec<String> = numbers.iter().map(|nth| witness(*nth)).collect();
            let list = list.join(", ");
            let mut reader =
                Reader::new([&[], &[]], |name: &str| (name == SETTING).then(|| list.clone()));
            (read(&mut reader).len(), reader.mistakes.len())
        };
        assert_eq!(mistakes(&[]), (0, 0));
        assert_eq!(mistakes(&[1, 2, 3, 4]), (4, 0));
        assert_eq!(mistakes(&[1, 2, 1]), (3, 1));
        assert_eq!(mistakes(&[1, 2, 3, 4, 5]), (5, 1));
    }

    #[test]
    fn a_witness_is_its_key_and_its_address() {
        let key = key();
        let witness: WitnessConfig =
            format!("{}  https://witness.example/a/", key.text()).parse().unwrap();
        assert_eq!((witness.key, witness.url.path()), (key.clone(), "/a/"));
        for url in ["", " witness.example", " ftp://witness.example", " https://"] {
            let text = format!("{}{url}", key.text());
            assert_eq!(text.parse::<WitnessConfig>(), Err(WitnessConfigError), "{text}");
        }
    }
}
