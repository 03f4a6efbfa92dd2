//! Letters of the office, as they are drafted and shown.

use chrono::{DateTime, Utc};
use schemars::JsonSchema;
use serde::Serialize;
use uuid::Uuid;

use crate::{
    catalog::{ProgramId, ScheduleId},
    infra::ids::ids,
    outbox::LetterTexts,
    text::i18n::Locale,
};

ids! {
    /// Id of a letter of the office.
    pub OfficeLetterId(Uuid),
}

/// Letter as it is typed.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct LetterDraft {
    pub schedule_ids: Vec<ScheduleId>,
    /// Name of the section or zone; `None` for any.
    pub section: Option<String>,
    /// Name of the price type; `None` for any.
    pub price_type: Option<String>,
    /// Whether only holders get it who have not come yet.
    pub is_for_absent: bool,
    /// Whether it cannot be declined.
    pub is_necessary: bool,
    pub texts: LetterTexts,
}

/// Rows that the names of a draft mean.
#[derive(Clone, Debug, Default)]
pub(crate) struct Audience {
    /// Whether a seat is in a section of the name.
    pub has_seats: bool,
    pub zone_ids: Vec<Uuid>,
    pub price_type_ids: Vec<Uuid>,
}

/// State of a letter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, sqlx::Type, strum::AsRefStr, JsonSchema)]
#[strum(serialize_all = "lowercase")]
#[sqlx(type_name = "text", rename_all = "SCREAMING_SNAKE_CASE")]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum LetterStatus {
    /// It is not released.
    Draft,
    /// Its mails are written from its time on.
    Planned,
    /// Every account of its audience was written to.
    Written,
    /// It was stopped.
    Stopped,
}

/// Letter of the office, as administrators see it.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct OfficeLetter {
    /// Its id.
    pub id: OfficeLetterId,
    /// Program whose holders of tickets get it.
    pub program_id: ProgramId,
    /// Performances whose holders get it.
    pub schedule_ids: Vec<ScheduleId>,
    /// Name of the section or zone; `None` for any.
    pub section: Option<String>,
    /// Name of the price type; `None` for any.
    pub price_type: Option<String>,
    /// Whether only holders get it who have not come yet.
    pub is_for_absent: bool,
    /// Whether it cannot be declined.
    pub is_necessary: bool,
    /// Texts by the tags of their languages.
    #[schemars(with = "LetterTexts")]
    pub texts: sqlx::types::Json<LetterTexts>,
    /// Its state.
    pub status: LetterStatus,
    /// Start that a reminder tells; `None` for a letter that staff wrote.
    pub reminds_of: Option<DateTime<Utc>>,
    /// When its mails are written; `None` before its release.
    pub send_at: Option<DateTime<Utc>>,
    /// Accounts that were written to, the ones who declined such letters included.
    pub n_accounts: i64,
    /// When it was drafted.
    pub created_at: DateTime<Utc>,
}

impl OfficeLetter {
    /// Returns the subject in `locale`, or else in the first language that it has; of a reminder, what it is.
    pub(crate) fn subject(&self, locale: Locale) -> String {
        match self.texts.in_language(locale) {
            Some(text) => text.subject.clone(),
            None => locale.text("admin-letter-reminder").to_string(),
        }
    }
}

/// Performance whose holders of tickets are to be reminded.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NearPerformance {
    /// Its program.
    pub program_id: ProgramId,
    /// Its id.
    pub id: ScheduleId,
    /// When it begins.
    pub starts_at: DateTime<Utc>,
}

/// Numbers of a letter's mails by their state, as long as mails are kept.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct LetterDelivery {
    /// Mails that the mail server took.
    pub n_sent: i64,
    /// Mails that are still to be sent.
    pub n_waiting: i64,
    /// Mails that were given up.
    pub n_failed: i64,
}
