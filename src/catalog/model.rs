//! Catalog types: ids, programs, schedules and the state of a sale.

use std::ops::Deref;

use chrono::{DateTime, Utc};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sqlx::types::Json;
use uuid::Uuid;

use super::{
    announcements::{GivenNote, LineAnnouncement},
    guards::Guards,
    posters::UploadedPoster,
    programs::columns::ProgramDetails,
    schedules::told::ToldNote,
};
use crate::{infra::ids::ids, points::Points, text::translated::Translated};

ids! {
    /// Program id.
    pub ProgramId(Uuid),
    /// Performance id.
    pub ScheduleId(Uuid),
    /// Venue id.
    pub VenueId(Uuid),
    /// Id of a zone of one performance.
    pub ZoneId(Uuid),
    /// Id of a seat of a venue.
    pub SeatId(i64),
    /// Id of a seat of one performance.
    pub ScheduleSeatId(i64),
}

/// Publication status of a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, sqlx::Type, JsonSchema)]
#[sqlx(type_name = "text", rename_all = "SCREAMING_SNAKE_CASE")]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum ProgramStatus {
    /// In preparation; only administrators see it.
    Draft,
    /// Shown, and sold while its sale is open.
    Published,
    /// Cancelled; shown as such and not sold.
    Cancelled,
}

impl ProgramStatus {
    /// Returns the locale key of the status on the admin pages.
    pub fn text_key(self) -> &'static str {
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
pub enum DrawStep {
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
    pub fn is_drawing(self) -> bool {
        matches!(self, Self::Closed | Self::Revealed)
    }
}

/// State of a program's performances, once one of them was cancelled.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, sqlx::Type, JsonSchema)]
#[sqlx(type_name = "text", rename_all = "SCREAMING_SNAKE_CASE")]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum DatesLeft {
    /// A performance is still to come, or none was cancelled.
    Some,
    /// Each has begun or was cancelled, and at least one was not cancelled.
    Played,
    /// Each was cancelled.
    Cancelled,
}

/// Numbered version of a program, with the rules of its sale. It has the fields of its [`ProgramDetails`].
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "ProgramEdition")]
pub struct Program {
    /// Program id.
    pub id: ProgramId,
    /// Number of the edition.
    pub version: i64,
    /// Publication status.
    pub status: ProgramStatus,
    /// Time of the pause; `None` while accounts are admitted.
    pub queue_paused_at: Option<DateTime<Utc>>,
    /// What the office says to its line, the explanation of a pause first.
    pub announcements: Vec<LineAnnouncement>,
    /// Milliseconds that its stays and holds got back so far, in all. Pages compare it to learn that ends have moved.
    #[serde(skip)]
    pub given_ms: i64,
    /// What was given last; `None` if nothing was.
    #[serde(skip)]
    pub last_given: Option<GivenNote>,
    /// Time of the cancellation.
    pub cancelled_at: Option<DateTime<Utc>>,
    /// Words of the office about it, by language.
    #[serde(skip_serializing_if = "Translated::is_empty")]
    pub cancel_texts: Translated<String>,
    /// IANA zone in which its times are shown: the one of its first performance's venue.
    #[serde(skip)]
    pub time_zone: String,
    /// Guards against hoarding.
    pub guards: Guards,
    /// Version of the poster that was uploaded; `None` without one.
    pub poster: Option<String>,
    /// Number of the program in order of making, from 1.
    #[serde(skip)]
    pub poster_number: i32,
    /// State of its performances, once one of them was cancelled.
    #[serde(skip)]
    pub dates_left: DatesLeft,
    /// Step of the draw that the sale opens with; `None`: first come, first served.
    #[serde(skip)]
    pub draw: Option<DrawStep>,
    /// When the first of its access gates opens; `None`: it has none.
    #[serde(skip)]
    pub first_gate_at: Option<DateTime<Utc>>,
    /// Fields of the form.
    #[serde(flatten)]
    pub details: ProgramDetails,
}

impl Deref for Program {
    type Target = ProgramDetails;

    fn deref(&self) -> &ProgramDetails {
        &self.details
    }
}

impl Program {
    /// Returns the poster that was uploaded; `None` without one.
    pub fn upload(&self) -> Option<UploadedPoster> {
        UploadedPoster::of(&self.slug, self.poster.as_deref())
    }

    /// Whether an access gate is open at `now`, before the sale is.
    pub fn is_early(&self, now: DateTime<Utc>) -> bool {
        let is_coming = matches!(self.sale_state(now), SaleState::Coming { .. });
        is_coming && self.first_gate_at.is_some_and(|opens_at| opens_at <= now)
    }

    /// Whether staff have stopped the clock of the program.
    pub fn is_clock_stopped(&self) -> bool {
        self.last_given.as_ref().is_some_and(|given| given.is_stopped)
    }

    /// Returns the state of the sale at `now`.
    pub fn sale_state(&self, now: DateTime<Utc>) -> SaleState {
        match self.status {
            ProgramStatus::Cancelled => SaleState::Cancelled,
            _ => SaleState::of(self.dates_left, self.on_sale_at, self.off_sale_at, now),
        }
    }
}

#[cfg(any(test, debug_assertions))]
impl Program {
    /// Returns a published program for unit tests, whose sale opens and closes at these moments.
    pub fn on_sale(slug: &str, on_sale_at: DateTime<Utc>, off_sale_at: DateTime<Utc>) -> Self {
        Self {
            id: ProgramId(Uuid::nil()),
            version: 0,
            status: ProgramStatus::Published,
            queue_paused_at: None,
            announcements: Vec::new(),
            given_ms: 0,
            last_given: None,
            cancelled_at: None,
            cancel_texts: Translated::default(),
            time_zone: String::new(),
            guards: Guards::default(),
            poster: None,
            poster_number: 1,
            dates_left: DatesLeft::Some,
            draw: None,
            first_gate_at: None,
            details: ProgramDetails {
                slug: slug.to_owned(),
                on_sale_at,
                off_sale_at,
                ..ProgramDetails::default()
            },
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
    pub fn of(
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
pub struct Schedule {
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
    pub fn keeps_places(&self, now: DateTime<Utc>) -> bool {
        now < self.kept_until
    }

    /// Returns when kept places go on general sale; `None` if they never do.
    pub fn general_sale_at(&self) -> Option<DateTime<Utc>> {
        Some(self.kept_until).filter(|until| *until < self.starts_at)
    }
}

/// Program or performance as the home page lists it.
#[derive(Clone, Debug)]
pub struct Listing {
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
pub struct ScheduleListing {
    /// Performance id.
    pub id: ScheduleId,
    /// Start.
    pub starts_at: DateTime<Utc>,
    /// Start before its last move that people were told of; `None` if it never moved so.
    pub moved_from: Option<DateTime<Utc>>,
    /// What else people were told of since.
    pub changes: Json<Vec<ToldNote>>,
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
