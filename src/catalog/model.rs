//! Catalog types: ids, programs, schedules and the state of a sale.

use chrono::{DateTime, Utc};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::{guards::Guards, posters::UploadedPoster};
use crate::{infra::ids::ids, points::Points};

ids! {
    /// Program id.
    pub ProgramId(Uuid),
    /// Performance id.
    pub ScheduleId(Uuid),
    /// Venue id.
    pub(crate) VenueId(Uuid),
    /// Id of a zone of one performance.
    pub ZoneId(Uuid),
    /// Id of a seat of a venue.
    pub(crate) SeatId(i64),
    /// Id of a seat of one performance.
    pub ScheduleSeatId(i64),
}

/// Publication status of a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, sqlx::Type, JsonSchema)]
#[sqlx(type_name = "text", rename_all = "SCREAMING_SNAKE_CASE")]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub(crate) enum ProgramStatus {
    /// In preparation; only administrators see it.
    Draft,
    /// Shown, and sold while its sale is open.
    Published,
    /// Cancelled; shown as such and not sold.
    Cancelled,
}

impl ProgramStatus {
    /// Returns the locale key of the status on the admin pages.
    pub(crate) fn text_key(self) -> &'static str {
        match self {
            Self::Draft => "admin-status-draft",
            Self::Published => "admin-status-published",
            Self::Cancelled => "admin-status-cancelled",
        }
    }
}

/// Step of the draw that a sale opens with. Each follows the one before, and none is taken back.
#[derive(
    Clone,
    Copy,
    Debug,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Serialize,
    Deserialize,
    sqlx::Type,
    strum::IntoStaticStr,
    JsonSchema,
)]
#[strum(serialize_all = "lowercase")]
#[sqlx(type_name = "text", rename_all = "SCREAMING_SNAKE_CASE")]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub(crate) enum DrawStep {
    /// Accounts enter, and leave again.
    Open,
    /// The entries are fixed; the seed is secret.
    Closed,
    /// The seed is public; numbers are being given.
    Revealed,
    /// Every entry has its number.
    Drawn,
}

impl DrawStep {
    /// Whether the entries are closed and not all of them have numbers.
    pub(crate) fn is_drawing(self) -> bool {
        matches!(self, Self::Closed | Self::Revealed)
    }
}

/// State of a program's performances, once one of them was cancelled.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, sqlx::Type, JsonSchema)]
#[sqlx(type_name = "text", rename_all = "SCREAMING_SNAKE_CASE")]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub(crate) enum DatesLeft {
    /// A performance is still to come, or none was cancelled.
    Some,
    /// Each has begun or was cancelled, and at least one was not cancelled.
    Played,
    /// Each was cancelled.
    Cancelled,
}

/// Program with the rules of its sale.
#[derive(Clone, Debug)]
pub(crate) struct Program {
    /// Program id.
    pub id: ProgramId,
    /// Name in addresses.
    pub slug: String,
    /// Title.
    pub title: String,
    /// Number of the program in order of making, from 1.
    pub poster_number: i32,
    /// Version of the poster that was uploaded; `None` without one.
    pub poster: Option<String>,
    /// Description.
    pub description: String,
    /// Publication status.
    pub status: ProgramStatus,
    /// State of its performances, once one of them was cancelled.
    pub dates_left: DatesLeft,
    /// Opening of the sale.
    pub on_sale_at: DateTime<Utc>,
    /// Closing of the sale.
    pub off_sale_at: DateTime<Utc>,
    /// Accounts admitted at once; `None`: no queue.
    pub queue_capacity: Option<i32>,
    /// Time of the pause; `None` while accounts are admitted.
    pub queue_paused_at: Option<DateTime<Utc>>,
    /// Length of a stay, in seconds.
    pub stay_secs: i32,
    /// Length of a hold, in seconds.
    pub hold_ttl_secs: i32,
    /// Bound on live seats and places of one account.
    pub places_per_account_max: i32,
    /// Seats or places that an order has at least.
    pub places_per_order_min: i32,
    /// Whether orders that leave a single seat free are refused.
    pub no_single_seats: bool,
    /// Length of a performance with its intervals, in minutes; `None`: not said.
    pub running_mins: Option<i32>,
    /// Age from which on people may come, in years; `None`: not said.
    pub age_min: Option<i32>,
    /// See [`Guards::account_age_mins`].
    pub join_account_age_mins: Option<i32>,
    /// See [`Guards::confirmed_address`].
    pub join_confirmed_address: bool,
    /// See [`Guards::proof_bits`].
    pub join_proof_bits: Option<i32>,
    /// See [`Guards::joins_per_address`].
    pub joins_per_address: Option<i32>,
    /// See [`Guards::unpaid_holds_max`].
    pub unpaid_holds_max: Option<i32>,
    /// See [`Guards::cool_down_mins`].
    pub cool_down_mins: Option<i32>,
    /// IANA zone in which its times are shown: the one of its first performance's venue.
    pub time_zone: String,
    /// Step of the draw that the sale opens with; `None`: first come, first served.
    pub draw: Option<DrawStep>,
    /// When the first of its access gates opens; `None`: it has none.
    pub first_gate_at: Option<DateTime<Utc>>,
}

impl Program {
    /// Returns the guards against hoarding.
    pub(crate) fn guards(&self) -> Guards {
        Guards {
            account_age_mins: self.join_account_age_mins,
            confirmed_address: self.join_confirmed_address,
            proof_bits: self.join_proof_bits,
            joins_per_address: self.joins_per_address,
            unpaid_holds_max: self.unpaid_holds_max,
            cool_down_mins: self.cool_down_mins,
        }
    }

    /// Returns the poster that was uploaded; `None` without one.
    pub(crate) fn upload(&self) -> Option<UploadedPoster> {
        UploadedPoster::of(&self.slug, self.poster.as_deref())
    }

    /// Whether an access gate is open at `now`, before the sale is.
    pub(crate) fn is_early(&self, now: DateTime<Utc>) -> bool {
        let is_coming = matches!(self.sale_state(now), SaleState::Coming { .. });
        is_coming && self.first_gate_at.is_some_and(|opens_at| opens_at <= now)
    }

    /// Returns the state of the sale at `now`.
    pub(crate) fn sale_state(&self, now: DateTime<Utc>) -> SaleState {
        match self.status {
            ProgramStatus::Cancelled => SaleState::Cancelled,
            _ => SaleState::of(self.dates_left, self.on_sale_at, self.off_sale_at, now),
        }
    }
}

/// State of a sale at some moment; `into()` returns its name in JSON documents and locale keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq, strum::IntoStaticStr)]
#[strum(serialize_all = "kebab-case")]
pub enum SaleState {
    /// Not yet open.
    #[strum(serialize = "not-open")]
    Coming {
        /// Opening of the sale.
        opens_at: DateTime<Utc>,
    },
    /// Open.
    #[strum(serialize = "on-sale")]
    Open,
    /// Over.
    Closed,
    /// The program is cancelled, or each of its performances.
    Cancelled,
}

impl SaleState {
    /// Returns the state at `now` of a program that is not cancelled.
    pub(crate) fn of(
        dates_left: DatesLeft,
        on_sale_at: DateTime<Utc>,
        off_sale_at: DateTime<Utc>,
        now: DateTime<Utc>,
    ) -> Self {
        match dates_left {
            DatesLeft::Cancelled => Self::Cancelled,
            DatesLeft::Some if now < on_sale_at => Self::Coming { opens_at: on_sale_at },
            DatesLeft::Some if now < off_sale_at => Self::Open,
            DatesLeft::Some | DatesLeft::Played => Self::Closed,
        }
    }
}

/// One performance of a program.
#[derive(Clone, Debug)]
pub(crate) struct Schedule {
    /// Performance id.
    pub id: ScheduleId,
    /// Program performed.
    pub program_id: ProgramId,
    /// Start.
    pub starts_at: DateTime<Utc>,
    /// Name of the venue.
    pub venue_name: String,
    /// IANA time zone of the venue.
    pub time_zone: String,
    /// Moment until which free places for wheelchairs and companions are kept for people who need
    /// them: the start, if they never go on general sale.
    pub kept_until: DateTime<Utc>,
    /// Whether it has price types beside the ordinary prices.
    pub has_price_types: bool,
    /// Whether a section or zone of it is or was hidden.
    pub has_hidden: bool,
    /// Whether it was cancelled alone.
    pub is_cancelled: bool,
}

impl Schedule {
    /// Whether places are kept at `now`.
    pub(crate) fn keeps_places(&self, now: DateTime<Utc>) -> bool {
        now < self.kept_until
    }

    /// Returns when kept places go on general sale; `None` if they never do.
    pub(crate) fn general_sale_at(&self) -> Option<DateTime<Utc>> {
        Some(self.kept_until).filter(|until| *until < self.starts_at)
    }
}

/// Program or performance as the home page lists it.
#[derive(Clone, Debug)]
pub(crate) struct Listing {
    /// Name of the program in addresses.
    pub slug: String,
    /// Title.
    pub title: String,
    /// See [`Program::poster_number`].
    pub poster_number: i32,
    /// See [`Program::poster`].
    pub poster: Option<String>,
    /// IANA time zone of the venue of the listed performance.
    pub time_zone: String,
    /// Start of the listed performance.
    pub starts_at: DateTime<Utc>,
    /// Opening of the sale.
    pub opens_at: DateTime<Utc>,
    /// Lowest available price; `None` when nothing is available.
    pub price_from: Option<Points>,
}

impl Listing {
    /// Returns the poster that was uploaded for the program; `None` without one.
    pub(crate) fn upload(&self) -> Option<UploadedPoster> {
        UploadedPoster::of(&self.slug, self.poster.as_deref())
    }
}

/// Performance as the program page lists it.
#[derive(Clone, Debug)]
pub(crate) struct ScheduleListing {
    /// Performance id.
    pub id: ScheduleId,
    /// Start.
    pub starts_at: DateTime<Utc>,
    /// Name of the venue.
    pub venue_name: String,
    /// Address of the venue; empty if it is not known.
    pub venue_address: String,
    /// IANA time zone of the venue.
    pub time_zone: String,
    /// Whether it was cancelled alone.
    pub is_cancelled: bool,
    /// Available seats and places; none of what is cancelled.
    pub free: i64,
    /// Lowest available price; `None` when nothing is available.
    pub price_from: Option<Points>,
}
