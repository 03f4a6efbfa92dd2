//! Types of a witness, and the rule by which it cosigns.

use std::io;

use crate::{
    infra::tlog::{Checkpoint, Hash, LogVerifier, NoteFault, WitnessRequest, is_growth},
    witness::error::WitnessError,
};

/// Logs that a witness cosigns.
#[derive(Clone, Debug)]
pub(super) struct KnownLogs(Vec<LogVerifier>);

/// Reason why a checkpoint is not cosigned.
#[derive(Debug, thiserror::Error)]
pub(super) enum WitnessRefusal {
    /// The request, the note or the checkpoint is not written as the formats say, or it claims to
    /// have grown from a larger size.
    #[error("this is no request to cosign a checkpoint")]
    Malformed,
    /// No key is of the log.
    #[error("this witness does not know the log")]
    UnknownLog,
    /// The log's key did not sign it.
    #[error("the checkpoint is not signed by the log's key")]
    NotSigned,
    /// The request begins at another size than the one that was cosigned last, which is this.
    #[error("the size that was cosigned last is {0}")]
    OtherSize(u64),
    /// The proof does not lead from the head to the checkpoint.
    #[error("the checkpoint does not continue the one that was cosigned last")]
    Inconsistent,
    /// There are as many logs as a witness keeps.
    #[error("this witness keeps as many logs as it can")]
    Full,
    /// An earlier request is still being decided.
    #[error("this witness is busy; ask again")]
    Busy,
    /// The head cannot be read or written.
    #[error("this witness cannot use its disk")]
    Disk(#[from] io::Error),
}

/// Checkpoint that a log signed.
#[derive(Debug)]
pub(super) struct SignedCheckpoint {
    /// Signed text, whole lines.
    pub(super) text: String,
    /// Line of the log's signature.
    pub(super) signature: String,
    pub(super) checkpoint: Checkpoint,
}

/// Checkpoint of one log that a witness cosigned last; size 0 and the empty tree before the first.
#[derive(Clone, Copy, Debug)]
pub(super) struct Head {
    pub(super) size: u64,
    pub(super) root: Hash,
}

impl KnownLogs {
    /// Parses the keys of the logs.
    pub(super) fn parse(keys: &[String]) -> Result<Self, WitnessError> {
        let parse = |key: &String| {
            LogVerifier::parse(key.trim()).map_err(|_fault| WitnessError::Log(key.clone()))
        };
        keys.iter().map(parse).collect::<Result<_, _>>().map(Self)
    }

    /// Returns the keys of the log named `origin`: the keys of its name, and of names above it.
    fn keys_of(&self, origin: &str) -> Vec<LogVerifier> {
        let is_below = |name: &str| {
            let rest = origin.strip_prefix(name);
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        };
        let keys = self.0.iter().filter(|key| is_below(key.name()));
        keys.filter_map(|key| key.named(origin).ok()).collect()
    }

    /// Returns the checkpoint of a signed note, if a known log signed it.
    pub(super) fn verify(&self, note: &str) -> Result<SignedCheckpoint, WitnessRefusal> {
        let origin = note.lines().next().unwrap_or_default();
        let keys = self.keys_of(origin);
        if keys.is_empty() {
            return Err(WitnessRefusal::UnknownLog);
        }
        let mut signed = None;
        for key in keys {
            match key.signed_in(note) {
                Ok(found) => signed = Some(found),
                Err(NoteFault::NotSigned) => {}
                Err(NoteFault::Malformed) => return Err(WitnessRefusal::Malformed),
                Err(_) => return Err(WitnessRefusal::NotSigned),
            }
        }
        let (text, signature) = signed.ok_or(WitnessRefusal::NotSigned)?;
        let checkpoint = Checkpoint::from_bytes(text.as_bytes());
        let checkpoint = checkpoint.ok().ok_or(WitnessRefusal::Malformed)?;
        Ok(SignedCheckpoint { text, signature, checkpoint })
    }
}

/// Whether a witness whose head is `head` cosigns the request.
pub(super) fn judge(
    head: Head,
    request: &WitnessRequest,
    checkpoint: &Checkpoint,
) -> Result<(), WitnessRefusal> {
    if request.old_size > checkpoint.size() {
        return Err(WitnessRefusal::Malformed);
    }
    if request.old_size != head.size {
        return Err(WitnessRefusal::OtherSize(head.size));
    }
    let is_consistent = is_growth(&request.proof, head.size, head.root, checkpoint);
    is_consistent.then_some(()).ok_or(WitnessRefusal::Inconsistent)
}
