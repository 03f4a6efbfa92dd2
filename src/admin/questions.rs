//! Questions that are asked before times are shown on another clock.

use chrono::{DateTime, Utc};
use schemars::JsonSchema;
use serde::Serialize;

use crate::catalog::ScheduleId;

/// Choice of the hour or the moment that stays when times are shown on another clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq, strum::AsRefStr, strum::EnumString)]
#[strum(serialize_all = "kebab-case")]
pub enum KeptTime {
    /// The hour on the clock.
    Hour,
    /// The moment.
    Moment,
}

/// Performance that would begin at another moment, or be shown at another hour.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(crate) struct ConcernedPerformance {
    pub id: ScheduleId,
    pub title: String,
    /// When it begins.
    pub starts_at: DateTime<Utc>,
    /// When it would begin if its hour stays.
    pub starts_at_if_hour_stays: DateTime<Utc>,
    /// Tickets that are valid for it.
    pub tickets: i64,
}

/// Question what the performances of a venue keep.
#[derive(Clone, Debug)]
pub(crate) struct ZoneQuestion {
    /// Name of the zone that the venue has.
    pub from: String,
    /// Name of the zone that it is to have.
    pub to: String,
    /// Number of performances.
    pub count: usize,
    /// Tickets that are valid for them.
    pub tickets: i64,
    /// Performances that are named, the soonest first.
    pub named: Vec<ConcernedPerformance>,
}

/// Question what stays of an opening that was typed on the office's clock.
#[derive(Clone, Debug)]
pub(crate) struct OpeningQuestion {
    pub opens_at: DateTime<Utc>,
    /// Opening if its hour stays.
    pub(crate) opens_at_if_hour_stays: DateTime<Utc>,
    /// Name of the office's zone.
    pub from: String,
    /// Name of the venue's zone.
    pub to: String,
}
