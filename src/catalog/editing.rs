//! Programs, venues and performances as administrators edit them.

use chrono::{DateTime, Utc};
use schemars::JsonSchema;
use serde::Serialize;
use uuid::Uuid;

use super::{
    announcements::{AnnouncementId, NewAnnouncement},
    guards::Guards,
    model::{ProgramId, ProgramStatus, ScheduleId, VenueId, ZoneId},
    posters::PosterFiles,
    programs::columns::ProgramDetails,
    refund_target::RefundTarget,
};
use crate::{points::Points, text::translated::Translated};

/// Edition before and after an edit.
#[derive(Clone, Debug)]
pub struct Edited<T> {
    /// State before.
    pub before: T,
    /// State after.
    pub after: T,
}

/// Change of a program by an administrator.
#[derive(Clone, Debug)]
pub enum ProgramChange {
    /// Saves the form. Admitted accounts keep their stays; holds keep their ends and prices.
    Details(ProgramDetails),
    /// Sets the queue's capacity and its admissions per second; `None` is unlimited.
    Limits {
        /// Accounts admitted at once.
        capacity: Option<i32>,
        /// Accounts admitted per second.
        rate_per_second: Option<i32>,
    },
    /// Sets the guards against hoarding.
    Guards(Guards),
    /// Replaces the poster, or removes it.
    Poster(Option<PosterFiles>),
    /// Pauses admission, and says why and until when if that is known.
    Paused(Option<NewAnnouncement>),
    /// Resumes admission, which ends what was said about the pause.
    Resumed,
    /// Says something to the accounts that wait or are inside. Refused as `WrongStatus` unless the program is published.
    Announced(NewAnnouncement),
    /// Ends an announcement.
    AnnouncementEnded(AnnouncementId),
    /// Publishes a draft. Refused as `NothingToSell` if no performance has seats or places.
    Published,
    /// Cancels the program: nothing of it is sold or paid from then on.
    Cancelled(CancelTerms),
}

/// What staff say about a cancellation, to be written once.
#[derive(Clone, Debug)]
pub struct CancelTerms {
    /// Where the refunds go.
    pub refunds: RefundTarget,
    /// Words to the accounts that it concerns; none: without.
    pub words: Translated<String>,
}

/// Fields of a venue's form, without its seats.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct VenueDetails {
    /// Name.
    pub name: String,
    /// Address.
    pub address: String,
    /// IANA time zone.
    pub time_zone: String,
}

/// Numbered version of a venue.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct VenueEdition {
    /// Venue id.
    pub id: VenueId,
    /// Number of the edition; a change of seats counts too.
    pub version: i64,
    /// Fields of the form.
    #[serde(flatten)]
    pub details: VenueDetails,
    /// Number of seats.
    pub seats: i64,
}

/// Move of a performance to another start.
#[derive(Clone, Debug)]
pub struct ScheduleMove {
    /// Start after the move.
    pub starts_at: DateTime<Utc>,
    /// Mails about the move; `None` if it concerns no account.
    pub told: Option<ToldMove>,
}

/// Mails about a move, with what they say beside both starts.
#[derive(Clone, Debug)]
pub struct ToldMove {
    /// Id of the move, which its mails name.
    pub id: Uuid,
    /// Words of the office, as plain text; none: without.
    pub words: Translated<String>,
}

/// Numbered version of a performance.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ScheduleEdition {
    /// Performance id.
    pub id: ScheduleId,
    /// Number of the edition; changes of prices and zones count too.
    pub version: i64,
    /// Program performed.
    #[serde(skip)]
    pub program_id: ProgramId,
    /// Title of the program.
    #[serde(skip)]
    pub title: String,
    /// Venue.
    #[serde(skip)]
    pub venue_id: VenueId,
    /// Name of the venue.
    pub venue_name: String,
    /// IANA time zone of the venue.
    #[serde(skip)]
    pub time_zone: String,
    /// Start.
    pub starts_at: DateTime<Utc>,
    /// Hours before the start until which places are kept for wheelchair users and companions;
    /// `None`: until the start.
    pub kept_until_hours: Option<i32>,
    /// Time of its cancellation; `None` unless it was cancelled alone.
    pub cancelled_at: Option<DateTime<Utc>>,
}

/// Inventory of one section of a performance.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct SectionInventory {
    /// Name of the section.
    pub section: String,
    /// Seats of the venue in this section.
    pub seats: i64,
    /// Free seats, hidden ones included.
    pub free: i64,
    /// Held seats.
    pub held: i64,
    /// Sold seats.
    pub sold: i64,
    /// Seats taken off sale.
    pub blocked: i64,
    /// Lowest price; `None` if no seat has one.
    pub price_min: Option<Points>,
    /// Highest price; `None` if no seat has one.
    pub price_max: Option<Points>,
}

/// Inventory of one price category of a performance.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct CategoryInventory {
    /// Name of the category.
    pub category: String,
    /// Seats of the venue in this category.
    pub seats: i64,
    /// Free seats, hidden ones included.
    pub free: i64,
    /// Held seats.
    pub held: i64,
    /// Sold seats.
    pub sold: i64,
    /// Seats taken off sale.
    pub blocked: i64,
    /// Lowest price; `None` if no seat has one.
    pub price_min: Option<Points>,
    /// Highest price; `None` if no seat has one.
    pub price_max: Option<Points>,
}

/// Fields of a zone's form.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ZoneDetails {
    /// Name.
    pub name: String,
    /// Price of one place.
    pub price: Points,
    /// Number of places.
    pub capacity: i32,
}

/// Inventory of one zone of a performance.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ZoneInventory {
    /// Zone id.
    pub id: ZoneId,
    /// Name.
    pub name: String,
    /// Price of one place.
    pub price: Points,
    /// Number of places.
    pub capacity: i32,
    /// Places neither held nor sold.
    pub remaining: i32,
}

/// Program as the admin pages list it.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ProgramSummary {
    /// Program id.
    pub id: ProgramId,
    /// Name in addresses.
    pub slug: String,
    /// Title.
    pub title: String,
    /// Publication status.
    pub status: ProgramStatus,
    /// Opening of the sale.
    pub on_sale_at: DateTime<Utc>,
    /// Closing of the sale.
    pub off_sale_at: DateTime<Utc>,
    /// IANA zone in which its times are shown.
    #[serde(skip)]
    pub time_zone: String,
    /// Number of performances.
    pub schedules: i64,
}
