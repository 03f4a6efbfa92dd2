//! A log that a test signs itself, with the arithmetic of RFC 6962 as it is defined there.

use base64::{Engine, engine::general_purpose::STANDARD};
use ed25519_dalek::{Signature, Signer, SigningKey, Verifier, VerifyingKey};
use sha2::{Digest, Sha256};

/// Log with the key that signs it.
#[derive(Clone, Debug)]
pub struct SignedLog {
    pub origin: String,
    pub entries: Vec<String>,
    key: SigningKey,
}

impl SignedLog {
    /// Makes a log with `n` entries that tell `story`.
    pub fn telling(story: &str, origin: &str, n: usize) -> Self {
        let entries = (0..n).map(|nth| format!("{story} {nth}")).collect();
        Self { origin: origin.to_owned(), entries, key: SigningKey::from_bytes(&[3; 32]) }
    }

    /// Returns the log with another key.
    #[must_use]
    pub fn signed_by(self, seed: &[u8; 32]) -> Self {
        Self { key: SigningKey::from_bytes(seed), ..self }
    }

    /// Returns the key that checks what is signed under `name`.
    pub fn key_named(&self, name: &str) -> String {
        let public = self.public_key();
        format!("{name}+{:08x}+{}", key_id(name, &public), STANDARD.encode(public))
    }

    fn public_key(&self) -> Vec<u8> {
        [&[1], self.key.verifying_key().as_bytes().as_slice()].concat()
    }

    /// Returns the key that checks this log.
    pub fn verifier_key(&self) -> String {
        self.key_named(&self.origin)
    }

    /// Signs a text under the log's name.
    pub fn sign(&self, text: &str) -> String {
        let id = key_id(&self.origin, &self.public_key()).to_be_bytes();
        let signature = self.key.sign(text.as_bytes()).to_bytes();
        let line = STANDARD.encode([id.as_slice(), &signature].concat());
        format!("{text}\n— {} {line}\n", self.origin)
    }

    /// Returns the text of the checkpoint of the first `size` entries.
    pub fn text(&self, size: usize) -> String {
        let root = STANDARD.encode(root_of(&self.entries[..size]));
        format!("{}\n{size}\n{root}\n", self.origin)
    }

    /// Returns the request that a witness cosigns `size` entries after `old_size`.
    pub fn request(&self, old_size: usize, size: usize) -> String {
        let proof = match old_size {
            0 => Vec::new(),
            old_size => proof_of(old_size, &self.entries[..size], true),
        };
        self.request_with(old_size, &proof, size)
    }

    /// Works as [`Self::request`], with any proof.
    pub fn request_with(&self, old_size: usize, proof: &[Vec<u8>], size: usize) -> String {
        let proof: Vec<String> = proof.iter().map(|hash| STANDARD.encode(hash) + "\n").collect();
        let proof = proof.concat();
        format!("old {old_size}\n{proof}\n{}", self.sign(&self.text(size)))
    }
}

fn key_id(name: &str, key: &[u8]) -> u32 {
    let hash = sha256(&[name.as_bytes(), b"\n", key]);
    u32::from_be_bytes(hash[..4].try_into().unwrap())
}

/// Returns the key of the witness `name` with a seed, for settings.
pub fn witness_key(name: &str, seed: &[u8; 32]) -> String {
    let public = SigningKey::from_bytes(seed).verifying_key();
    let public = [&[4], public.as_bytes().as_slice()].concat();
    format!("{name}+{:08x}+{}", key_id(name, &public), STANDARD.encode(public))
}

/// Returns the cosignature of that witness on the text of a checkpoint, at a time of 2025.
pub fn cosigned_by(name: &str, seed: &[u8; 32], text: &str) -> String {
    let key = SigningKey::from_bytes(seed);
    let public = [&[4], key.verifying_key().as_bytes().as_slice()].concat();
    let (id, time) = (key_id(name, &public), 1_750_000_000_u64);
    let signature = key.sign(format!("cosignature/v1\ntime {time}\n{text}").as_bytes()).to_bytes();
    let bytes = [id.to_be_bytes().as_slice(), &time.to_be_bytes(), &signature].concat();
    format!("— {name} {}\n", STANDARD.encode(bytes))
}

/// Hashes what `parts` are together.
pub fn sha256(parts: &[&[u8]]) -> Vec<u8> {
    Sha256::digest(parts.concat()).to_vec()
}

/// Returns the root of the tree (RFC 6962, section 2.1).
pub fn root_of(entries: &[String]) -> Vec<u8> {
    match entries {
        [] => sha256(&[]),
        [entry] => sha256(&[b"\0", entry.as_bytes()]),
        _ => {
            let (left, right) = entries.split_at(entries.len().next_power_of_two() / 2);
            sha256(&[b"\x01", &root_of(left), &root_of(right)])
        }
    }
}

/// Returns `SUBPROOF(m, D[n], b)` (RFC 6962, section 2.1.2).
pub fn proof_of(m: usize, entries: &[String], is_known: bool) -> Vec<Vec<u8>> {
    if m == entries.len() {
        return if is_known { Vec::new() } else { vec![root_of(entries)] };
    }
    let half = entries.len().next_power_of_two() / 2;
    let (left, right) = entries.split_at(half);
    let (mut proof, other) = match m <= half {
        true => (proof_of(m, left, is_known), right),
        false => (proof_of(m - half, right, false), left),
    };
    proof.push(root_of(other));
    proof
}

/// Whether `line` is a cosignature (`tlog-cosignature`) of `text` by the witness with `key`.
pub fn is_cosigned(key: &str, text: &str, line: &str) -> bool {
    let (name, rest) = key.split_once('+').unwrap();
    let (id, public) = rest.split_once('+').unwrap();
    let public: [u8; 33] = STANDARD.decode(public).unwrap().try_into().unwrap();
    assert_eq!(public[0], 4, "the algorithm of {key}");
    assert_eq!(id, format!("{:08x}", key_id(name, &public)));
    let Some(signature) = line.trim_end().strip_prefix(&format!("— {name} ")) else {
        return false;
    };
    let signature = STANDARD.decode(signature).unwrap();
    assert_eq!((signature.len(), &signature[..4]), (76, &public_id(id)[..]));
    let time = u64::from_be_bytes(signature[4..12].try_into().unwrap());
    let message = format!("cosignature/v1\ntime {time}\n{text}");
    let public = VerifyingKey::from_bytes(&public[1..].try_into().unwrap()).unwrap();
    let signature = Signature::from_slice(&signature[12..]).unwrap();
    time > 1_700_000_000 && public.verify(message.as_bytes(), &signature).is_ok()
}

fn public_id(hex: &str) -> [u8; 4] {
    u32::from_str_radix(hex, 16).unwrap().to_be_bytes()
}
