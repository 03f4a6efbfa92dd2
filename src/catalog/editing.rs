//! Programs, venues and performances as they are edited.

use chrono::{DateTime, Utc};
use serde::Serialize;

use super::{
    guards::Guards,
    model::{ProgramId, ProgramStatus, ScheduleId, VenueId, ZoneId},
};
use crate::points::Points;

/// Everything about a program that is typed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ProgramDetails {
    /// Its name in addresses.
    pub slug: String,
    /// Its name.
    pub title: String,
    /// What it is about.
    pub description: String,
    /// When its sale opens.
    pub on_sale_at: DateTime<Utc>,
    /// When its sale closes; later than it opens.
    pub off_sale_at: DateTime<Utc>,
    /// How many may be inside at once; `None`: everybody is let in.
    pub queue_capacity: Option<i32>,
    /// How many are let in a second; `None`: as many as there is room for.
    pub queue_rate_per_second: Option<i32>,
    /// How long a stay lasts.
    pub stay_secs: i32,
    /// How long a hold lasts.
    pub hold_ttl_secs: i32,
    /// Live seats and places of one account.
    pub places_per_account_max: i32,
    /// Until how many hours before the start a reservation may be given back.
    pub refund_until_hours: i32,
    /// For how many percent of what was paid.
    pub refund_percent: i32,
}

/// A program as one edition of it stands.
#[derive(Clone, Debug, Serialize)]
pub struct ProgramEdition {
    /// Its id.
    pub id: ProgramId,
    /// Counts the editions.
    pub version: i64,
    /// Whether it is shown.
    pub status: ProgramStatus,
    /// Since when nobody is let in.
    pub queue_paused_at: Option<DateTime<Utc>>,
    /// When it was cancelled.
    pub cancelled_at: Option<DateTime<Utc>>,
    /// When everything of a cancelled one was given back.
    #[serde(skip)]
    pub wound_down_at: Option<DateTime<Utc>>,
    /// The clock that its times are shown on.
    #[serde(skip)]
    pub time_zone: String,
    /// Its guards against hoarding.
    pub guards: Guards,
    /// What is typed.
    #[serde(flatten)]
    pub details: ProgramDetails,
}

/// Everything about a venue that is typed, but for its seats.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct VenueDetails {
    /// Its name.
    pub name: String,
    /// Where it is.
    pub address: String,
    /// The clock on its wall, by its IANA name.
    pub time_zone: String,
}

/// A venue as one edition of it stands.
#[derive(Clone, Debug, Serialize)]
pub struct VenueEdition {
    /// Its id.
    pub id: VenueId,
    /// Counts the editions, of its seats too.
    pub version: i64,
    /// What is typed.
    #[serde(flatten)]
    pub details: VenueDetails,
    /// How many seats it has.
    pub seats: i64,
}

/// A performance as one edition of it stands.
#[derive(Clone, Debug, Serialize)]
pub struct ScheduleEdition {
    /// Its id.
    pub id: ScheduleId,
    /// Counts the editions, of its prices and zones too.
    pub version: i64,
    /// What is performed.
    #[serde(skip)]
    pub program_id: ProgramId,
    /// That program's name.
    #[serde(skip)]
    pub title: String,
    /// Where.
    #[serde(skip)]
    pub venue_id: VenueId,
    /// That venue's name.
    pub venue_name: String,
    /// The clock on the venue's wall.
    #[serde(skip)]
    pub time_zone: String,
    /// When it starts.
    pub starts_at: DateTime<Utc>,
}

/// What one section of a performance has to sell.
#[derive(Clone, Debug, Serialize)]
pub struct SectionStock {
    /// The section.
    pub section: String,
    /// Seats of the venue.
    pub seats: i64,
    /// Those that are free.
    pub free: i64,
    /// Those in somebody's hold.
    pub held: i64,
    /// Those that are sold.
    pub sold: i64,
    /// Those taken off sale.
    pub blocked: i64,
    /// The lowest price, if any has one.
    pub price_min: Option<Points>,
    /// The highest price.
    pub price_max: Option<Points>,
}

impl SectionStock {
    /// The price of all its seats, if they have one.
    pub fn price(&self) -> Option<Points> {
        self.price_min.filter(|_| self.price_min == self.price_max)
    }

    /// From the lowest to the highest price, where they differ.
    pub fn price_range(&self) -> String {
        match (self.price_min, self.price_max) {
            (Some(min), Some(max)) if min != max => format!("{min}\u{2013}{max}"),
            _ => String::new(),
        }
    }
}

/// What is typed about a zone.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ZoneDetails {
    /// Its name.
    pub name: String,
    /// What one place costs.
    pub price: Points,
    /// How many places it has.
    pub capacity: i32,
}

/// A zone of a performance and what is left of it.
#[derive(Clone, Debug, Serialize)]
pub struct ZoneStock {
    /// Its id.
    pub id: ZoneId,
    /// Its name.
    pub name: String,
    /// What one place costs.
    pub price: Points,
    /// How many places it has.
    pub capacity: i32,
    /// How many are neither held nor sold.
    pub remaining: i32,
}

/// A program as the desk lists it.
#[derive(Clone, Debug, Serialize)]
pub struct ProgramLine {
    /// Its id.
    pub id: ProgramId,
    /// Its name in addresses.
    pub slug: String,
    /// Its name.
    pub title: String,
    /// Whether it is shown.
    pub status: ProgramStatus,
    /// When its sale opens.
    pub on_sale_at: DateTime<Utc>,
    /// When its sale closes.
    pub off_sale_at: DateTime<Utc>,
    /// The clock that its times are shown on.
    #[serde(skip)]
    pub time_zone: String,
    /// How many performances it has.
    pub schedules: i64,
}
