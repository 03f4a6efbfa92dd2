//! Key that signs the texts of a log, and the key that checks them.

use std::fmt;

use base64::{Engine, engine::general_purpose::STANDARD};
use ed25519_dalek::{SigningKey, VerifyingKey};
use signed_note::{
    Note, NoteError, Signature, StandardSigner, StandardVerifier, VerifierList, key_id,
    new_ed25519_verifier_key,
};

/// Algorithm of a key in `signed-note`: Ed25519.
const ED25519: u8 = 1;

/// Reason why a text was not signed, or a note is not believed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NoteFault {
    /// The key, or its name, is not written as `signed-note` says.
    #[error("the key is no verifier key")]
    Key,
    /// The text is not written as `signed-note` says.
    #[error("the note is malformed")]
    Malformed,
    /// The key did not sign the note.
    #[error("the note is not signed by the key")]
    NotSigned,
    /// There is a signature by the key's name, and it is not of this text.
    #[error("the signature is not of this text")]
    BadSignature,
}

/// Ed25519 key of this deployment's logs. Each log signs under a name of its own.
#[derive(Clone)]
pub struct LogKey(SigningKey);

impl fmt::Debug for LogKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("LogKey(..)")
    }
}

impl LogKey {
    /// Returns the key of a seed.
    pub fn of_seed(seed: &[u8; 32]) -> Self {
        Self(SigningKey::from_bytes(seed))
    }

    /// Returns the key that checks signatures under `name`, as text: name, id and public key.
    pub fn verifier_key(&self, name: &str) -> String {
        new_ed25519_verifier_key(name, &self.0.verifying_key())
    }

    /// Signs `text` under `name`, and returns the signed note.
    pub fn sign(&self, name: &str, text: &str) -> Result<String, NoteFault> {
        let mut note = Note::new(text.as_bytes(), &[]).map_err(|error| fault_of(&error))?;
        note.add_sigs(&[&self.signer(name)?]).map_err(|error| fault_of(&error))?;
        String::from_utf8(note.to_bytes()).ok().ok_or(NoteFault::Malformed)
    }

    /// Returns the signer of `name`, which the library makes of the key's text only.
    fn signer(&self, name: &str) -> Result<StandardSigner, NoteFault> {
        let encode = |bytes: &[u8]| base64_of(&[&[ED25519], bytes].concat());
        let id = key_id(name, &[&[ED25519], self.0.verifying_key().as_bytes().as_slice()].concat());
        let text = format!("PRIVATE+KEY+{name}+{id:08x}+{}", encode(self.0.as_bytes()));
        StandardSigner::new(&text).ok().ok_or(NoteFault::Key)
    }
}

/// Key that checks the notes of one log.
#[derive(Clone)]
pub struct LogVerifier {
    name: String,
    key: StandardVerifier,
    public: VerifyingKey,
}

impl fmt::Debug for LogVerifier {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "LogVerifier({})", self.text())
    }
}

impl LogVerifier {
    /// Parses a key exactly as [`LogKey::verifier_key`] writes it: no key has two spellings.
    pub fn parse(text: &str) -> Result<Self, NoteFault> {
        let key = StandardVerifier::new(text).ok().ok_or(NoteFault::Key)?;
        let (name, rest) = text.split_once('+').ok_or(NoteFault::Key)?;
        let public = rest.split_once('+').and_then(|(_, public)| public_of(public));
        let verifier = Self { name: name.to_owned(), key, public: public.ok_or(NoteFault::Key)? };
        if verifier.text() == text { Ok(verifier) } else { Err(NoteFault::Key) }
    }

    /// Returns the key as [`LogKey::verifier_key`] writes it.
    pub fn text(&self) -> String {
        new_ed25519_verifier_key(&self.name, &self.public)
    }

    /// Returns this key for another name: the same public key signs there.
    pub fn named(&self, name: &str) -> Result<Self, NoteFault> {
        Self::parse(&new_ed25519_verifier_key(name, &self.public))
    }

    /// Returns the name of the log.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the text of a note that this key signed.
    pub fn text_of(&self, note: &str) -> Result<String, NoteFault> {
        self.signed_in(note).map(|(text, _)| text)
    }

    /// Returns the text of a note that this key signed, and the line of its signature. Signatures of
    /// other keys are ignored.
    pub fn signed_in(&self, note: &str) -> Result<(String, String), NoteFault> {
        let note = Note::from_bytes(note.as_bytes()).map_err(|error| fault_of(&error))?;
        let known = VerifierList::new(vec![Box::new(self.key.clone())]);
        let (verified, _) = note.verify(&known).map_err(|error| fault_of(&error))?;
        let line = verified.first().map(Signature::to_bytes).unwrap_or_default();
        let text = String::from_utf8(note.text().to_vec()).ok();
        text.zip(String::from_utf8(line).ok()).ok_or(NoteFault::Malformed)
    }
}

fn fault_of(error: &NoteError) -> NoteFault {
    match error {
        NoteError::UnverifiedNote => NoteFault::NotSigned,
        NoteError::InvalidSignature { .. } => NoteFault::BadSignature,
        _ => NoteFault::Malformed,
    }
}

/// Returns the public key of Base64 that begins with the algorithm.
fn public_of(text: &str) -> Option<VerifyingKey> {
    let bytes = STANDARD.decode(text).ok()?;
    VerifyingKey::from_bytes(bytes.get(1..)?.try_into().ok()?).ok()
}

fn base64_of(bytes: &[u8]) -> String {
    STANDARD.encode(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    const NAME: &str = "tickets.example/programs/1/log";

    #[test]
    fn a_note_is_believed_by_the_key_of_its_log_only() {
        let key = LogKey::of_seed(&[7; 32]);
        let note = key.sign(NAME, "one\ntwo\n").unwrap();
        let text_of = |key: &LogKey, name: &str, note: &str| {
            LogVerifier::parse(&key.verifier_key(name)).unwrap().text_of(note)
        };
        assert_eq!(text_of(&key, NAME, &note), Ok("one\ntwo\n".to_owned()));
        assert_eq!(text_of(&key, "other.example", &note), Err(NoteFault::NotSigned));
        let other = LogKey::of_seed(&[8; 32]);
        assert_eq!(text_of(&other, NAME, &note), Err(NoteFault::NotSigned));
        let changed = note.replace("two", "six");
        assert_eq!(text_of(&key, NAME, &changed), Err(NoteFault::BadSignature));
        assert_eq!(text_of(&key, NAME, "one\ntwo\n"), Err(NoteFault::Malformed));
        assert_eq!(text_of(&key, NAME, ""), Err(NoteFault::Malformed));
    }

    #[test]
    fn what_is_no_verifier_key_is_refused() {
        let key = LogKey::of_seed(&[7; 32]).verifier_key(NAME);
        let other_case = key.replace("+450f879d+", "+450F879d+");
        for text in ["", NAME, &key[1..], &key[..key.len() - 1], "a+b+c", &other_case] {
            assert!(LogVerifier::parse(text).is_err(), "{text}");
        }
    }

    #[test]
    fn a_log_is_named_as_its_key_says_and_signs_under_no_other_sort_of_name() {
        let key = LogKey::of_seed(&[7; 32]);
        assert_eq!(LogVerifier::parse(&key.verifier_key(NAME)).unwrap().name(), NAME);
        for name in ["", "two words", "a+b"] {
            assert_eq!(key.sign(name, "one\n"), Err(NoteFault::Key), "{name}");
        }
    }
}
