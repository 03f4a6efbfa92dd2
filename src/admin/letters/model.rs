//! Letters of the office, as they are drafted and shown.

use chrono::{DateTime, Utc};
use schemars::JsonSchema;
use serde::Serialize;
use uuid::Uuid;

use crate::{
    catalog::{ProgramId, ScheduleId},
    infra::ids::ids,
    outbox::{LetterTexts, Message},
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
    /// When its mails are written; `None` before its release.
    pub send_at: Option<DateTime<Utc>>,
    /// Accounts that were written to, the ones who declined such letters included.
    pub n_accounts: i64,
    /// When it was drafted.
    pub created_at: DateTime<Utc>,
}

impl OfficeLetter {
    /// Returns the message of its mails; `is_test` for the one to an administrator.
    pub(super) fn message(&self, is_test: bool) -> Message {
        Message::OfficeLetter { letter_id: self.id.0, is_necessary: self.is_necessary, is_test }
    }

    /// Returns the subject in `locale`, or else in the first language that it has.
    pub(crate) fn subject(&self, locale: Locale) -> &str {
        self.texts.in_language(locale).map_or("", |text| &text.subject)
    }
}
