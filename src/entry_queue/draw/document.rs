//! Draw as it is published: all data that is needed to repeat it.

use chrono::{DateTime, Utc};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{lists::ENTRIES_PER_PAGE, model::Draw};
use crate::catalog::DrawStep;

/// Name of the rule by which the order is drawn; docs/PUBLIC-DRAW.md explains it.
pub(crate) const RULE: &str = "stagedoor/draw/v1";

/// Published draw. Bytes are in hex.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct DrawDocument {
    pub rule: String,
    pub step: DrawStep,
    /// Opening of the sale, and the end of the entries.
    pub opens_at: DateTime<Utc>,
    pub announced_at: DateTime<Utc>,
    /// SHA-256 of the seed.
    pub commitment: String,
    /// Null: the seed alone decides.
    pub beacon: Option<BeaconDocument>,
    pub closed_at: Option<DateTime<Utc>>,
    /// Number of entries; null while they are open.
    pub entries: Option<usize>,
    /// Number of pages of the list; null while it is open.
    pub entry_pages: Option<usize>,
    /// Root of the tree over the entries.
    pub head: Option<String>,
    pub(crate) revealed_at: Option<DateTime<Utc>>,
    /// Null until it is revealed.
    pub seed: Option<String>,
    /// Why the beacon was left out; null unless it was.
    pub omission_reason: Option<String>,
    /// Numbers given so far.
    pub numbered: usize,
    pub(crate) numbered_at: Option<DateTime<Utc>>,
}

/// Round of a beacon that a draw commits to.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct BeaconDocument {
    pub chain_hash: String,
    pub public_key: String,
    /// Moment of round 1.
    pub genesis_at: DateTime<Utc>,
    pub(crate) period_seconds: i32,
    pub round: i64,
    /// When the round is made.
    pub comes_at: DateTime<Utc>,
    /// Null until it is revealed, or if it is left out.
    pub signature: Option<String>,
}

impl DrawDocument {
    /// Returns the published data of a draw at its step.
    pub fn of(draw: &Draw) -> Self {
        let count = |stored: i64| usize::try_from(stored).unwrap_or_default();
        let entries = draw.entries.map(count);
        Self {
            rule: RULE.to_owned(),
            step: draw.step,
            opens_at: draw.opens_at,
            announced_at: draw.announced_at,
            commitment: hex::encode(&draw.commitment),
            beacon: draw.beacon_round().map(|round| BeaconDocument {
                chain_hash: hex::encode(round.chain_hash),
                public_key: hex::encode(round.public_key),
                genesis_at: round.genesis_at,
                period_seconds: round.period_secs,
                round: round.round,
                comes_at: round.comes_at(),
                signature: draw.beacon_signature.as_ref().map(hex::encode),
            }),
            closed_at: draw.closed_at,
            entries,
            entry_pages: entries.map(|n| n.div_ceil(ENTRIES_PER_PAGE)),
            head: draw.head.as_ref().map(hex::encode),
            revealed_at: draw.revealed_at,
            seed: draw.seed.as_ref().map(hex::encode),
            omission_reason: draw.omission_reason.clone(),
            numbered: count(draw.numbered),
            numbered_at: draw.numbered_at,
        }
    }
}
