//! Cosignature of a checkpoint by a witness, as `tlog-cosignature` writes it.

use std::fmt;

use base64::{Engine, engine::general_purpose::STANDARD};
use ed25519_dalek::{Signature as Ed25519Signature, Signer, SigningKey, Verifier};
use signed_note::Signature;

use crate::config::{WitnessKey, WitnessKeyError};

/// First line of the signed text; no checkpoint begins like this.
const HEADER: &str = "cosignature/v1";
/// Begins the text of a secret key, as `signed-note`'s tools write one.
const SECRET: &str = "PRIVATE+KEY+";
/// Length of the time before the signature.
const TIME_BYTES: usize = size_of::<u64>();

/// Returns the text that a witness signs: the header, the time in seconds since 1970, and the
/// checkpoint.
fn message(checkpoint: &str, time: u64) -> String {
    format!("{HEADER}\ntime {time}\n{checkpoint}")
}

/// Secret key of a witness.
#[derive(Clone)]
pub struct Cosigner {
    secret: SigningKey,
    key: WitnessKey,
}

impl fmt::Debug for Cosigner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Cosigner({})", self.key.text())
    }
}

impl Cosigner {
    /// Returns the key of a seed, which must be random, under the name of the witness.
    pub fn of_seed(name: &str, seed: &[u8; 32]) -> Result<Self, WitnessKeyError> {
        let secret = SigningKey::from_bytes(seed);
        let key = WitnessKey::of(name, secret.verifying_key())?;
        Ok(Self { secret, key })
    }

    /// Parses the text of [`Cosigner::secret_text`]; `None` for any other text.
    pub fn parse_secret(text: &str) -> Option<Self> {
        let (name, rest) = text.strip_prefix(SECRET)?.split_once('+')?;
        let (_, seed) = rest.split_once('+')?;
        let seed = STANDARD.decode(seed).ok()?;
        let (_, seed) = seed.split_first()?;
        let cosigner = Self::of_seed(name, seed.try_into().ok()?).ok()?;
        (cosigner.secret_text() == text).then_some(cosigner)
    }

    /// Returns the secret key as text, for the file that keeps it.
    pub fn secret_text(&self) -> String {
        let seed = [&[WitnessKey::ALGORITHM], self.secret.as_bytes().as_slice()].concat();
        format!("{SECRET}{}+{:08x}+{}", self.key.name(), self.key.id(), STANDARD.encode(seed))
    }

    /// Returns the key that checks the cosignatures.
    pub fn key(&self) -> &WitnessKey {
        &self.key
    }

    /// Cosigns the text of a checkpoint at `time`, in seconds since 1970. Returns the signature line
    /// with its line end.
    pub fn cosign(&self, checkpoint: &str, time: u64) -> Option<String> {
        let signature = self.secret.sign(message(checkpoint, time).as_bytes());
        let bytes = [time.to_be_bytes().as_slice(), &signature.to_bytes()].concat();
        let line = Signature::new(self.key.name().to_owned(), self.key.id(), bytes).ok()?;
        String::from_utf8(line.to_bytes()).ok()
    }
}

/// Cosignature that was checked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cosignature {
    /// Signature line with its line end, as it is added to the checkpoint.
    pub line: String,
    /// When the witness signed, in seconds since 1970.
    pub time: u64,
}

impl Cosignature {
    /// Finds the cosignature of `key` on the text of a checkpoint among signature lines; `None` if
    /// there is none, or it is of another text. Other lines are ignored.
    pub fn find(key: &WitnessKey, checkpoint: &str, lines: &str) -> Option<Self> {
        lines.split_inclusive('\n').find_map(|line| {
            let signature = Signature::from_bytes(line.strip_suffix('\n')?.as_bytes()).ok()?;
            if (signature.name(), signature.id()) != (key.name(), key.id()) {
                return None;
            }
            let (time, bytes) = signature.signature().split_at_checked(TIME_BYTES)?;
            let time = u64::from_be_bytes(time.try_into().ok()?);
            let bytes = Ed25519Signature::from_slice(bytes).ok()?;
            let message = message(checkpoint, time);
            let is_right = time > 0 && key.public().verify(message.as_bytes(), &bytes).is_ok();
            is_right.then(|| Self { line: line.to_owned(), time })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CHECKPOINT: &str =
        "example.com/behind-the-sofa\n20852163\nCsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=\n";

    #[test]
    fn a_cosignature_is_of_one_checkpoint_one_time_and_one_witness() {
        let w1 = Cosigner::of_seed("witness.example/w1", &[1; 32]).unwrap();
        let w2 = Cosigner::of_seed("witness.example/w2", &[1; 32]).unwrap();
        let line = w1.cosign(CHECKPOINT, 1_679_315_147).unwrap();
        let lines = format!("— other AAAAAAAA\n{line}");
        let found = Cosignature::find(w1.key(), CHECKPOINT, &lines);
        assert_eq!(found, Some(Cosignature { line: line.clone(), time: 1_679_315_147 }));
        assert_eq!(Cosignature::find(w2.key(), CHECKPOINT, &lines), None);
        let other = CHECKPOINT.replace("163", "164");
        assert_eq!(Cosignature::find(w1.key(), &other, &lines), None);
        let without_end = line.trim_end();
        assert_eq!(Cosignature::find(w1.key(), CHECKPOINT, without_end), None);
        let later = Signature::from_bytes(without_end.as_bytes()).unwrap();
        let mut bytes = later.signature().to_vec();
        bytes[7] ^= 1;
        let later = Signature::new(later.name().to_owned(), later.id(), bytes).unwrap();
        let later = String::from_utf8(later.to_bytes()).unwrap();
        assert_eq!(Cosignature::find(w1.key(), CHECKPOINT, &later), None);
        let timeless = w1.cosign(CHECKPOINT, 0).unwrap();
        assert_eq!(Cosignature::find(w1.key(), CHECKPOINT, &timeless), None);
    }

    #[test]
    fn a_secret_key_is_read_as_it_was_written() {
        let cosigner = Cosigner::of_seed("witness.example/w1", &[9; 32]).unwrap();
        let text = cosigner.secret_text();
        assert_eq!(Cosigner::parse_secret(&text).unwrap().key(), cosigner.key());
        assert!(!format!("{cosigner:?}").contains(text.rsplit('+').next().unwrap()));
        for refused in ["", &text[1..], &text[..text.len() - 1], &text.replace("w1", "w2")] {
            assert!(Cosigner::parse_secret(refused).is_none(), "{refused}");
        }
    }
}
