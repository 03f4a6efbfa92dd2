//! Acts, their subjects, and entries of the audit log.

use std::fmt;

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use uuid::Uuid;

pub use super::{
    changes::{FieldChange, changes},
    line::{LaterAct, LogLine},
};
use crate::{
    accounts::{
        AccountId,
        api_keys::model::{Actor, ApiKeyId},
    },
    infra::{ids::new_id, security_log::ActEvent},
};

/// Prefix of every act's locale key; the name that the log stores is the rest.
pub const ACT_KEY: &str = "admin-act-";

/// Act of staff or an administrator.
#[derive(Clone, Copy, Debug, PartialEq, Eq, strum::AsRefStr)]
#[strum(serialize_all = "kebab-case")]
pub enum Act {
    /// A ticket was checked in.
    CheckedIn,
    /// A check-in was undone.
    CheckInUndone,
    /// A guest of a performance was looked for by name at its door.
    GuestsSearched,
    /// A draft was created.
    ProgramCreated,
    /// A draft was made as a copy of another program.
    ProgramCopied,
    /// A program was edited.
    ProgramEdited,
    /// The poster of a program was replaced.
    PosterReplaced,
    /// The poster of a program was removed.
    PosterRemoved,
    /// A draft was published.
    ProgramPublished,
    /// A program was cancelled.
    ProgramCancelled,
    /// Capacity or rate of a queue was changed.
    QueueChanged,
    /// Admission to a program was paused.
    QueuePaused,
    /// Admission to a program was resumed.
    QueueResumed,
    /// The stays and holds of a program got more time.
    TimeGiven,
    /// The clock of a program was stopped.
    ClockStopped,
    /// The clock of a program was let run.
    ClockRestarted,
    /// The office said something to the line of a program.
    LineTold,
    /// Something that was said to a line was taken back.
    LineUntold,
    /// An account was admitted past the queue.
    LetIn,
    /// Entries were purged from a queue.
    QueuePurged,
    /// A draw was announced for the opening of a sale.
    DrawAnnounced,
    /// The draw of a draft was taken back.
    DrawWithdrawn,
    /// A draw goes on without its beacon.
    BeaconOmitted,
    /// An account was locked.
    AccountLocked,
    /// An account was unlocked.
    AccountUnlocked,
    /// An account's role was changed.
    RoleChanged,
    /// The second factor of a person who lost it was removed.
    SecondFactorReset,
    /// Points were corrected.
    PointsAdjusted,
    /// A debt was written off, whole or in part.
    DebtWrittenOff,
    /// A reservation was refunded.
    Refunded,
    /// Tickets of a reservation were exchanged for other places.
    Exchanged,
    /// Money that did not reach its card was sent again, or asked about.
    PayoutTriedAgain,
    /// Lines and sales were let go on after the database went back.
    SetbackEnded,
    /// A venue was created.
    VenueCreated,
    /// A venue where nothing was performed was deleted.
    VenueDeleted,
    /// A venue was edited.
    VenueEdited,
    /// A venue's seats were replaced.
    SeatsReplaced,
    /// A performance was created.
    ScheduleCreated,
    /// A performance without dependent rows was deleted.
    ScheduleDeleted,
    /// A performance was moved.
    ScheduleEdited,
    /// A performance was cancelled.
    ScheduleCancelled,
    /// The end of the keeping of places for wheelchairs and companions was set.
    KeptPlacesSet,
    /// Prices of price categories and sections were set.
    PricesSet,
    /// Price types were made, replaced, withdrawn or copied.
    PriceTypesSet,
    /// Codes of a program were made.
    CodesMade,
    /// The limits of a code were set.
    CodeLimited,
    /// A code was withdrawn.
    CodeWithdrawn,
    /// A section or zone was hidden.
    SectionHidden,
    /// A section or zone is shown again.
    SectionShown,
    /// The names of a performance's attendees were taken away, on paper or as a file.
    AttendeesTaken,
    /// Seats were taken off sale.
    SeatsBlocked,
    /// Seats were put back on sale.
    SeatsUnblocked,
    /// A zone was created.
    ZoneCreated,
    /// A zone was edited.
    ZoneEdited,
    /// A mail that was given up is to be sent again.
    MailSentAgain,
    /// A letter to holders of tickets was drafted.
    LetterDrafted,
    /// A letter was sent to the administrator alone.
    LetterTested,
    /// A letter was released, at once or for a moment.
    LetterReleased,
    /// A letter was stopped.
    LetterStopped,
    /// The hours before a performance at which its holders are reminded were set.
    ReminderSet,
    /// The tickets of a reservation were mailed to their holders again.
    TicketsMailed,
    /// An endpoint was registered.
    WebhookRegistered,
    /// The address, the description or the kinds of an endpoint were changed.
    WebhookEdited,
    /// The secret of an endpoint was replaced.
    WebhookRotated,
    /// An endpoint was paused.
    WebhookPaused,
    /// An endpoint goes on.
    WebhookResumed,
    /// An endpoint was deleted.
    WebhookDeleted,
    /// Deliveries are to be made once more.
    WebhookReplayed,
    /// A key for programs was made.
    ApiKeyMade,
    /// A key was revoked.
    ApiKeyRevoked,
    /// A key was ended by a change of the protection of its maker's account.
    ApiKeyEnded,
    /// Settings of the office were edited.
    OfficeEdited,
    /// The logo of the office was replaced.
    LogoReplaced,
    /// The logo of the office was removed.
    LogoRemoved,
}

impl Act {
    /// Whether the act is one of the door, which are one or more for each visitor.
    pub(crate) fn is_at_the_door(self) -> bool {
        matches!(self, Self::CheckedIn | Self::CheckInUndone | Self::GuestsSearched)
    }
}

/// Kind of thing acted on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, strum::AsRefStr, strum::EnumString)]
#[strum(serialize_all = "kebab-case")]
pub enum Subject {
    /// Ticket, by its id.
    Ticket,
    /// Program, by its id.
    Program,
    /// Account, by its id.
    Account,
    /// Reservation, by its id.
    Reservation,
    /// Venue, by its id.
    Venue,
    /// Performance, by its id.
    Schedule,
    /// Mail, by its id.
    Mail,
    /// Endpoint of webhooks, by its id.
    Webhook,
    /// API key, by its id.
    ApiKey,
    /// Settings of the office, which are one row.
    Office,
}

/// Act about to be written into the log.
#[derive(Clone, Debug)]
pub struct AuditEntry {
    /// Id of the act; point transactions made by it refer to this id.
    pub id: Uuid,
    pub by: AccountId,
    /// Key by which `by` acted; `None`: the account itself.
    pub(crate) api_key_id: Option<ApiKeyId>,
    pub act: Act,
    pub subject: Subject,
    pub subject_id: String,
    pub before: Option<Value>,
    pub after: Option<Value>,
    pub reason: Option<String>,
}

impl AuditEntry {
    /// Creates the entry that `by` did `act` to the `subject` with id `subject_id`.
    pub fn new(
        by: impl Into<Actor>,
        act: Act,
        subject: Subject,
        subject_id: impl fmt::Display,
    ) -> Self {
        let subject_id = subject_id.to_string();
        let id = new_id();
        let Actor { account_id: by, api_key_id } = by.into();
        Self {
            id,
            by,
            api_key_id,
            act,
            subject,
            subject_id,
            before: None,
            after: None,
            reason: None,
        }
    }

    /// Sets the subject's state before the act.
    #[must_use]
    pub fn before(self, before: &impl Serialize) -> Self {
        Self { before: serde_json::to_value(before).ok(), ..self }
    }

    /// Sets the subject's state after the act.
    #[must_use]
    pub fn after(self, after: &impl Serialize) -> Self {
        Self { after: serde_json::to_value(after).ok(), ..self }
    }

    /// Sets the reason; `None` for acts that need none.
    #[must_use]
    pub fn because<'a>(self, reason: impl Into<Option<&'a Reason>>) -> Self {
        Self { reason: reason.into().map(|reason| reason.0.clone()), ..self }
    }

    /// Returns the entry's event for the security log.
    pub fn event(&self) -> ActEvent<'_> {
        ActEvent {
            by: self.by.0,
            act: self.act.as_ref(),
            subject: self.subject.as_ref(),
            subject_id: &self.subject_id,
        }
    }
}

/// Reason for an act: one line of 3 to 300 characters.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Reason(String);

impl Reason {
    const CHARS_MIN: usize = 3;
    const CHARS_MAX: usize = 300;

    /// Returns the trimmed `text`, or `None` if its length is out of range or it has control
    /// characters.
    pub fn parse(text: &str) -> Option<Self> {
        let text = text.trim();
        let fits = (Self::CHARS_MIN..=Self::CHARS_MAX).contains(&text.chars().count());
        (fits && !text.chars().any(char::is_control)).then(|| Self(text.to_owned()))
    }

    /// Returns the text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// Changes that another account made since a page was shown.
#[derive(Clone, Debug, Serialize)]
pub struct Meanwhile {
    /// Name of the account.
    pub who: String,
    /// Time of the latest change.
    pub when: DateTime<Utc>,
    /// Changed fields.
    pub changes: Vec<FieldChange>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reason_is_a_sentence() {
        assert!(Reason::parse("  asked by phone ").is_some());
        for refused in ["", "  ", "ok", "a\nb c", &"x".repeat(301)] {
            assert!(Reason::parse(refused).is_none(), "{refused:?}");
        }
    }
}
