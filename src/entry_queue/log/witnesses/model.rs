//! Types of witnesses' confirmations.

use chrono::{DateTime, Utc};

use crate::{
    config::WitnessKey,
    infra::tlog::{Checkpoint, Cosignature},
};

/// Reason why a witness did not cosign when it was asked last; its name is upper case in the database,
/// and with hyphens in metrics and locale keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq, sqlx::Type, strum::IntoStaticStr, thiserror::Error)]
#[sqlx(type_name = "text", rename_all = "SCREAMING_SNAKE_CASE")]
#[strum(serialize_all = "kebab-case")]
pub(crate) enum WitnessFault {
    /// It gave no answer in time, or said that it cannot work.
    #[error("a witness does not answer; it is asked again")]
    Away,
    /// It does not know the log, or not its key.
    #[error("a witness does not know a log: give it the log's key")]
    Stranger,
    /// It confirmed more entries than there are.
    #[error("a witness confirmed more than this log has: was an older database restored?")]
    Ahead,
    /// It confirmed a history that this one does not continue.
    #[error("a witness confirmed another history of this log: was an older database restored?")]
    Forked,
    /// Its answer is none that the protocol knows, or is not signed by its key.
    #[error("a witness gave an answer that cannot be used")]
    Unusable,
}

impl WitnessFault {
    /// Returns the name in metrics, documents and locale keys.
    pub(crate) fn name(self) -> &'static str {
        self.into()
    }

    /// Whether the history of the log itself is in doubt.
    pub(crate) fn is_alarming(self) -> bool {
        matches!(self, Self::Ahead | Self::Forked)
    }
}

/// Newest confirmation of one log by one witness.
#[derive(Clone, Debug)]
pub(crate) struct WitnessedLog {
    /// Key of the witness.
    pub witness: String,
    /// Entries in the tree of the checkpoint that it cosigned last; 0: none.
    pub size: i64,
    /// That checkpoint, as the log signed it; `None` if there is none.
    pub checkpoint: Option<String>,
    /// Signature line of the witness; `None` if there is none.
    pub cosignature: Option<String>,
    /// When it signed, by its own clock; `None` if it did not.
    pub(crate) cosigned_at: Option<DateTime<Utc>>,
    /// Why there was no cosignature when it was asked last; `None`: there was one.
    pub fault: Option<WitnessFault>,
    /// Since when; `None` without a fault.
    pub(crate) failing_since: Option<DateTime<Utc>>,
}

impl WitnessedLog {
    /// Returns that `witness` confirmed nothing and was not asked.
    pub(crate) fn none(witness: String) -> Self {
        let (checkpoint, cosignature, cosigned_at) = (None, None, None);
        let (fault, failing_since) = (None, None);
        Self { witness, size: 0, checkpoint, cosignature, cosigned_at, fault, failing_since }
    }

    /// Returns the checkpoint that was cosigned, if `of_log` finds the log's signature on it, and the
    /// witness's is there too.
    pub(crate) fn signed(
        &self,
        of_log: impl FnOnce(&str) -> Option<(String, Checkpoint)>,
    ) -> Option<Checkpoint> {
        let (text, checkpoint) = of_log(self.checkpoint.as_deref()?)?;
        let key: WitnessKey = self.witness.parse().ok()?;
        Cosignature::find(&key, &text, self.cosignature.as_deref()?).map(|_| checkpoint)
    }

    /// Returns the name of the witness.
    pub(crate) fn name(&self) -> &str {
        self.witness.split('+').next().unwrap_or_default()
    }
}

/// Returns `checkpoint` with the cosignatures of all that confirmed just this one.
pub(crate) fn with_cosignatures(checkpoint: &str, witnessed: &[WitnessedLog]) -> String {
    let of_this = |made: &&WitnessedLog| made.checkpoint.as_deref() == Some(checkpoint);
    let lines = witnessed.iter().filter(of_this).filter_map(|made| made.cosignature.as_deref());
    std::iter::once(checkpoint).chain(lines).collect()
}

/// Returns the newest checkpoint that a witness cosigned, with its cosignatures.
pub(crate) fn newest_cosigned(witnessed: &[WitnessedLog]) -> Option<String> {
    let newest = witnessed.iter().max_by_key(|made| made.size)?;
    Some(with_cosignatures(newest.checkpoint.as_deref()?, witnessed))
}
