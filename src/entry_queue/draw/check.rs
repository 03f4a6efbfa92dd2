//! Check of a published draw from the published data alone: any reader can repeat the draw.

use std::fmt;

use base64::{Engine, engine::general_purpose::STANDARD};
use chrono::{DateTime, Utc};
use serde::Deserialize;
use sha2::{Digest, Sha256};
use uuid::Uuid;

use super::{
    arithmetic::{OrderKey, Sealed, head_of},
    beacon::{BeaconRound, randomness_of},
    document::{BeaconDocument, DrawDocument, RULE},
    model::OMISSION_AFTER_SECS,
};

/// Result of a check.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CheckedDraw {
    /// Number of entries.
    pub entries: usize,
    /// Role of the beacon.
    pub beacon: BeaconPart,
    /// Rank of the given entry; `None`: none was given.
    pub rank: Option<usize>,
}

/// Role of a public beacon in a draw.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BeaconPart {
    /// None was announced: the organiser could have tried seeds before.
    NotAnnounced,
    /// It was announced and left out, for the published reason.
    LeftOut,
    /// The announced round is signed by its chain.
    Verified {
        /// Number of the round.
        round: i64,
    },
}

impl fmt::Display for CheckedDraw {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "The draw is right: {} entries, in the announced order.", self.entries)?;
        match self.beacon {
            BeaconPart::Verified { round } => {
                write!(f, "Round {round} of the beacon is signed by its chain.")?;
            }
            BeaconPart::NotAnnounced => write!(
                f,
                "No beacon was announced: whoever knew the seed could have tried others before."
            )?,
            BeaconPart::LeftOut => write!(
                f,
                "The beacon was LEFT OUT. Look whether its round exists, and ask the organiser why."
            )?,
        }
        match self.rank {
            Some(rank) => write!(f, "\nThis entry has number {rank}."),
            None => Ok(()),
        }
    }
}

/// Reason why a draw is not right, as a sentence for the person at the terminal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DrawFault {
    /// The file is no published draw.
    #[error("This is no draw, or a part of it is missing. Download it again, as JSON.")]
    Malformed,
    /// The draw is not over.
    #[error("The seed is not revealed yet. Check again when the numbers are drawn.")]
    NotRevealed,
    /// The seed is not the one committed to.
    #[error("The seed is not the one that was announced.")]
    Seed,
    /// A line of the list is no commitment.
    #[error("The list of entries is damaged. Download its pages again, in their order.")]
    List,
    /// The list has another head than the one published.
    #[error(
        "The list of entries is not the one that was closed: entries were added or are missing."
    )]
    Head,
    /// The beacon is not signed by the chain for the announced round.
    #[error("The beacon is not that of the announced round.")]
    Beacon,
    /// The announced round came before the sale opened.
    #[error("The announced round of the beacon was known before the entries were closed.")]
    EarlyRound,
    /// The beacon is missing without a reason, or sooner than the rule allows.
    #[error("The beacon was left out against the rule.")]
    LeftOut,
    /// The file is no entry, or not in the list.
    #[error("This entry is not in the list.")]
    Entry,
}

/// Parts of an entry that tie it to the list.
#[derive(Deserialize)]
struct GivenEntry {
    id: Uuid,
    salt: String,
    rank: Option<usize>,
}

/// Draws again from a published draw and its list, and finds the rank of an entry if one is given.
pub fn check_draw(
    document: &str,
    list: &str,
    entry: Option<&str>,
) -> Result<CheckedDraw, DrawFault> {
    let document: DrawDocument = serde_json::from_str(document).ok().ok_or(DrawFault::Malformed)?;
    if document.rule != RULE {
        return Err(DrawFault::Malformed);
    }
    let seed = document.seed.as_deref().ok_or(DrawFault::NotRevealed)?;
    let seed: [u8; 32] = parse_bytes(seed).ok_or(DrawFault::Seed)?;
    let commitment: Option<[u8; 32]> = parse_bytes(&document.commitment);
    if commitment != Some(Sha256::digest(seed).into()) {
        return Err(DrawFault::Seed);
    }
    let list: Option<Vec<Sealed>> = list.lines().map(parse_bytes).collect();
    let list = list.ok_or(DrawFault::List)?;
    let head = head_of(&list).ok_or(DrawFault::List)?;
    if document.head.as_deref().and_then(parse_bytes) != Some(head)
        || document.entries != Some(list.len())
    {
        return Err(DrawFault::Head);
    }
    let (beacon, randomness) = beacon_of(&document)?;
    let order = OrderKey::of(&seed, randomness.as_ref(), &head);
    let drawn = order.sort(list.iter().map(|sealed| (*sealed, *sealed)));
    let rank = entry.map(|entry| rank_of(entry, &drawn)).transpose()?;
    Ok(CheckedDraw { entries: list.len(), beacon, rank })
}

/// Verifies the part of the beacon, and returns its randomness.
fn beacon_of(document: &DrawDocument) -> Result<(BeaconPart, Option<[u8; 32]>), DrawFault> {
    let Some(announced) = &document.beacon else { return Ok((BeaconPart::NotAnnounced, None)) };
    let round = round_of(announced).ok_or(DrawFault::Malformed)?;
    if round.comes_at() < document.opens_at {
        return Err(DrawFault::EarlyRound);
    }
    let Some(signature) = &announced.signature else {
        let may_be = is_late_enough(document.closed_at, document.revealed_at);
        let is_explained = document.omission_reason.is_some() && may_be;
        return match is_explained {
            true => Ok((BeaconPart::LeftOut, None)),
            false => Err(DrawFault::LeftOut),
        };
    };
    let signature: [u8; 48] = parse_bytes(signature).ok_or(DrawFault::Beacon)?;
    round.verify(&signature).ok_or(DrawFault::Beacon)?;
    Ok((BeaconPart::Verified { round: round.round }, Some(randomness_of(&signature))))
}

fn is_late_enough(closed_at: Option<DateTime<Utc>>, revealed_at: Option<DateTime<Utc>>) -> bool {
    let waited = closed_at.zip(revealed_at).map(|(closed, revealed)| revealed - closed);
    waited.is_some_and(|waited| waited.num_seconds() >= OMISSION_AFTER_SECS)
}

fn round_of(announced: &BeaconDocument) -> Option<BeaconRound> {
    Some(BeaconRound {
        chain_hash: parse_bytes(&announced.chain_hash)?,
        public_key: parse_bytes(&announced.public_key)?,
        genesis_at: announced.genesis_at,
        period_secs: announced.period_seconds,
        round: announced.round,
    })
}

/// Returns the rank of the entry that a participant downloaded, from 1.
fn rank_of(entry: &str, drawn: &[Sealed]) -> Result<usize, DrawFault> {
    let entry: GivenEntry = serde_json::from_str(entry).ok().ok_or(DrawFault::Entry)?;
    let salt = STANDARD.decode(&entry.salt).ok().ok_or(DrawFault::Entry)?;
    let sealed: Sealed =
        Sha256::new().chain_update(salt).chain_update(entry.id.as_bytes()).finalize().into();
    let index = drawn.iter().position(|other| *other == sealed).ok_or(DrawFault::Entry)?;
    let rank = index + 1;
    let is_told = entry.rank.is_none_or(|told| told == rank);
    is_told.then_some(rank).ok_or(DrawFault::Entry)
}

/// Parses hex of `N` bytes.
pub(super) fn parse_bytes<const N: usize>(text: &str) -> Option<[u8; N]> {
    hex::decode(text).ok()?.try_into().ok()
}
