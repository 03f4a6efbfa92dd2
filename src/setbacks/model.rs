//! Setbacks and what was known when they were noticed.

use chrono::{DateTime, Utc};
use schemars::JsonSchema;
use serde::Serialize;
use uuid::Uuid;

use crate::infra::{
    ids::ids,
    postgres::{LineMarkKey, LineMarkKind},
};

ids! {
    /// Id of a setback.
    pub SetbackId(Uuid),
}

/// Setback: the database had less than was known.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Setback {
    /// Id.
    pub id: SetbackId,
    /// When an instance saw it first.
    pub noticed_at: DateTime<Utc>,
    /// Beats of the pulse that were known, about one a second.
    pub known_beats: i64,
    /// Moment of the last of them, after which nothing is known to be lost; null where only the count is known.
    pub known_at: Option<DateTime<Utc>>,
    /// Last beat that the database has; what came after it may be lost. Null where it has none.
    pub found_at: Option<DateTime<Utc>>,
    /// Whether it is the data of another office.
    pub is_other: bool,
    /// When an administrator let lines and sales go on; null while it is open.
    pub ended_at: Option<DateTime<Utc>>,
}

/// How far a line was known to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LineMark {
    /// Id of the program.
    pub program_id: Uuid,
    /// Subject of the mark.
    pub kind: LineMarkKind,
    /// Highest number, or size of the log.
    pub known: i64,
}

impl From<(LineMarkKey, i64)> for LineMark {
    fn from(((program_id, kind), known): (LineMarkKey, i64)) -> Self {
        Self { program_id, kind, known }
    }
}

/// Line that was known to be further than the database has it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct LineBehind {
    /// Id of the program.
    pub program_id: Uuid,
    /// Title of the program; null where the database does not have it.
    pub title: Option<String>,
    /// Highest queue number that was known to be given; null where no higher one was.
    pub number_known: Option<i64>,
    /// Highest queue number here.
    pub number: i64,
    /// Entries of the signed log of joins that were known; null where no more were.
    pub joins_known: Option<i64>,
    /// Entries of the log of joins here.
    pub joins: i64,
    /// Entries of the signed log of moves that were known; null where no more were.
    pub moves_known: Option<i64>,
    /// Entries of the log of moves here.
    pub moves: i64,
}

/// Paid checkout of which no purchase is known.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct UnknownCheckout {
    /// Name of the checkout at the provider.
    pub provider_ref: String,
    /// Name of the payment at the provider.
    pub payment_ref: Option<String>,
    /// Amount in minor units; null where the provider did not say it.
    pub amount_minor: Option<i64>,
    /// Code of the currency; null where the provider did not say it.
    pub currency: Option<String>,
    /// When the provider told of it.
    pub told_at: DateTime<Utc>,
}
