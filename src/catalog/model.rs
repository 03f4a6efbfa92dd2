//! Programs, schedules and the state of a sale.

use std::fmt;

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::guards::Guards;
use crate::points::Points;

macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident($inner:ty),)*) => {$(
        $(#[$doc])*
        #[derive(
            Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, sqlx::Type,
        )]
        #[sqlx(transparent)]
        #[serde(transparent)]
        pub struct $name(pub $inner);

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(f)
            }
        }

        impl std::str::FromStr for $name {
            type Err = <$inner as std::str::FromStr>::Err;

            fn from_str(text: &str) -> Result<Self, Self::Err> {
                text.parse().map(Self)
            }
        }
    )*};
}

ids! {
    /// Names a program.
    ProgramId(Uuid),
    /// Names a performance.
    ScheduleId(Uuid),
    /// Names a venue.
    VenueId(Uuid),
    /// Names a zone of one performance.
    ZoneId(Uuid),
    /// Names a seat of a venue.
    SeatId(i64),
    /// Names a seat of one performance.
    ScheduleSeatId(i64),
}

/// Whether a program is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, sqlx::Type)]
#[sqlx(type_name = "text", rename_all = "SCREAMING_SNAKE_CASE")]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum ProgramStatus {
    /// Being prepared; nobody sees it.
    Draft,
    /// Shown, and sold while its sale is open.
    Published,
    /// Will not take place.
    Cancelled,
}

impl ProgramStatus {
    /// The locale key of its name, for the desk.
    pub fn text_key(self) -> &'static str {
        match self {
            Self::Draft => "admin-status-draft",
            Self::Published => "admin-status-published",
            Self::Cancelled => "admin-status-cancelled",
        }
    }
}

/// A program with the rules of its sale.
#[derive(Clone, Debug)]
pub struct Program {
    /// Its id.
    pub id: ProgramId,
    /// Its name in addresses.
    pub slug: String,
    /// Its name.
    pub title: String,
    /// What it is about.
    pub description: String,
    /// Whether it is shown.
    pub status: ProgramStatus,
    /// When its sale opens.
    pub on_sale_at: DateTime<Utc>,
    /// When its sale closes.
    pub off_sale_at: DateTime<Utc>,
    /// How many may be inside at once; `None`: everybody is let in.
    pub queue_capacity: Option<i32>,
    /// How many are let in a second; `None`: as many as there is room for.
    pub queue_rate_per_second: Option<i32>,
    /// Since when nobody is let in.
    pub queue_paused_at: Option<DateTime<Utc>>,
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
    /// See [`Guards::account_age_mins`]; so the four below.
    pub join_account_age_mins: Option<i32>,
    /// See [`Guards`].
    pub join_proof_bits: Option<i32>,
    /// See [`Guards`].
    pub joins_per_address: Option<i32>,
    /// See [`Guards`].
    pub unpaid_holds_max: Option<i32>,
    /// See [`Guards`].
    pub cool_down_mins: Option<i32>,
    /// The clock that its times are shown on: the first venue's.
    pub time_zone: String,
}

impl Program {
    /// Its guards against hoarding.
    pub fn guards(&self) -> Guards {
        Guards {
            account_age_mins: self.join_account_age_mins,
            proof_bits: self.join_proof_bits,
            joins_per_address: self.joins_per_address,
            unpaid_holds_max: self.unpaid_holds_max,
            cool_down_mins: self.cool_down_mins,
        }
    }

    /// What the sale is at `now`.
    pub fn sale_state(&self, now: DateTime<Utc>) -> SaleState {
        if self.status == ProgramStatus::Cancelled {
            SaleState::Cancelled
        } else if now < self.on_sale_at {
            SaleState::Coming { opens_at: self.on_sale_at }
        } else if now < self.off_sale_at {
            SaleState::Open
        } else {
            SaleState::Closed
        }
    }
}

/// What a sale is at some moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SaleState {
    /// Not yet open.
    Coming {
        /// When it opens.
        opens_at: DateTime<Utc>,
    },
    /// Open.
    Open,
    /// Over.
    Closed,
    /// The program will not take place.
    Cancelled,
}

impl SaleState {
    /// As the contract and the locale keys name it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Coming { .. } => "not-open",
            Self::Open => "on-sale",
            Self::Closed => "closed",
            Self::Cancelled => "cancelled",
        }
    }
}

/// One performance.
#[derive(Clone, Debug)]
pub struct Schedule {
    /// Its id.
    pub id: ScheduleId,
    /// What is performed.
    pub program_id: ProgramId,
    /// When it starts.
    pub starts_at: DateTime<Utc>,
    /// Where.
    pub venue_name: String,
    /// The clock on the venue's wall.
    pub time_zone: String,
}

/// A program as the home page lists it.
#[derive(Clone, Debug)]
pub struct Listing {
    /// Its name in addresses.
    pub slug: String,
    /// Its name.
    pub title: String,
    /// Where the next performance is.
    pub venue_name: String,
    /// The clock on that venue's wall.
    pub time_zone: String,
    /// When the next performance starts.
    pub starts_at: DateTime<Utc>,
    /// When the sale opens.
    pub opens_at: DateTime<Utc>,
    /// The lowest price of what is free; `None` when nothing is.
    pub price_from: Option<Points>,
}

/// A performance as the program page lists it.
#[derive(Clone, Debug)]
pub struct ScheduleListing {
    /// Its id.
    pub id: ScheduleId,
    /// When it starts.
    pub starts_at: DateTime<Utc>,
    /// Where.
    pub venue_name: String,
    /// The clock on the venue's wall.
    pub time_zone: String,
    /// Seats and places that are free.
    pub free: i64,
    /// The lowest price of what is free; `None` when nothing is.
    pub price_from: Option<Points>,
}
