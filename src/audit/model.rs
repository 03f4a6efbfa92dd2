//! Acts and what they are done to.

use std::fmt;

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use uuid::Uuid;

use crate::{accounts::AccountId, infra::security_log::ActEvent};

/// What the locale key of every act begins with; the log has what follows.
pub(crate) const ACT_KEY: &str = concat!("admin-", "act-");

macro_rules! named {
    ($($(#[$doc:meta])* $type:ident { $($(#[$variant_doc:meta])* $variant:ident $name:literal,)* })*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(crate) enum $type {
            $($(#[$variant_doc])* $variant,)*
        }

        impl $type {
            /// As the log has it.
            pub(crate) fn name(self) -> &'static str {
                let key = self.key();
                key.strip_prefix(ACT_KEY).unwrap_or(key)
            }

            fn key(self) -> &'static str {
                match self {
                    $(Self::$variant => $name,)*
                }
            }
        }
    )*};
}

named! {
    /// What was done.
    Act {
        /// A ticket opened the door.
        CheckedIn "admin-act-checked-in",
        /// A check-in was taken back.
        CheckInUndone "admin-act-check-in-undone",
        /// A draft was made.
        ProgramCreated "admin-act-program-created",
        /// A program was edited.
        ProgramEdited "admin-act-program-edited",
        /// A draft was shown to everybody.
        ProgramPublished "admin-act-program-published",
        /// A program will not take place.
        ProgramCancelled "admin-act-program-cancelled",
        /// How fast people go in was changed.
        LineChanged "admin-act-line-changed",
        /// Nobody was let in any more.
        LinePaused "admin-act-line-paused",
        /// People were let in again.
        LineResumed "admin-act-line-resumed",
        /// Somebody was let in past the line.
        LetIn "admin-act-let-in",
        /// A part of a line was taken away.
        LinePurged "admin-act-line-purged",
        /// Somebody was locked out.
        AccountLocked "admin-act-account-locked",
        /// Somebody was let back in.
        AccountUnlocked "admin-act-account-unlocked",
        /// Somebody may do more, or less.
        RoleChanged "admin-act-role-changed",
        /// Points were corrected.
        PointsAdjusted "admin-act-points-adjusted",
        /// A reservation was refunded.
        Refunded "admin-act-refunded",
        /// A venue was opened.
        VenueCreated "admin-act-venue-created",
        /// A venue was edited.
        VenueEdited "admin-act-venue-edited",
        /// A venue was given other seats.
        SeatsReplaced "admin-act-seats-replaced",
        /// A performance was announced.
        ScheduleCreated "admin-act-schedule-created",
        /// A performance was moved.
        ScheduleEdited "admin-act-schedule-edited",
        /// Sections were priced.
        PricesSet "admin-act-prices-set",
        /// Seats were taken off sale.
        SeatsBlocked "admin-act-seats-blocked",
        /// Seats were put back on sale.
        SeatsUnblocked "admin-act-seats-unblocked",
        /// A zone was added.
        ZoneCreated "admin-act-zone-created",
        /// A zone was edited.
        ZoneEdited "admin-act-zone-edited",
    }

    /// What it was done to.
    Subject {
        /// A ticket, by its id.
        Ticket "ticket",
        /// A program, by its id.
        Program "program",
        /// An account, by its id.
        Account "account",
        /// A reservation, by its id.
        Reservation "reservation",
        /// A venue, by its id.
        Venue "venue",
        /// A performance, by its id.
        Schedule "schedule",
    }
}

/// One act, about to be written into the log.
#[derive(Clone, Debug)]
pub(crate) struct AuditEntry {
    /// Names the act: also what points that it moved refer to.
    pub(crate) id: Uuid,
    pub(crate) by: AccountId,
    pub(crate) act: Act,
    pub(crate) subject: Subject,
    pub(crate) subject_id: String,
    pub(crate) before: Option<Value>,
    pub(crate) after: Option<Value>,
    pub(crate) reason: Option<String>,
}

impl AuditEntry {
    /// `by` did `act` to the `subject` named `subject_id`.
    pub(crate) fn new(
        by: AccountId,
        act: Act,
        subject: Subject,
        subject_id: impl fmt::Display,
    ) -> Self {
        let subject_id = subject_id.to_string();
        let id = Uuid::now_v7();
        Self { id, by, act, subject, subject_id, before: None, after: None, reason: None }
    }

    /// How the subject was before.
    pub(crate) fn before(self, before: &impl Serialize) -> Self {
        Self { before: serde_json::to_value(before).ok(), ..self }
    }

    /// How it is after.
    pub(crate) fn after(self, after: &impl Serialize) -> Self {
        Self { after: serde_json::to_value(after).ok(), ..self }
    }

    /// Why.
    pub(crate) fn because(self, reason: &Reason) -> Self {
        Self { reason: Some(reason.0.clone()), ..self }
    }

    /// As the security log tells it.
    pub(crate) fn event(&self) -> ActEvent<'_> {
        ActEvent {
            by: self.by.0,
            act: self.act.name(),
            subject: self.subject.name(),
            subject_id: &self.subject_id,
        }
    }
}

/// Why somebody did something: a sentence, 3 to 300 characters.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub(crate) struct Reason(String);

impl Reason {
    const CHARS_MIN: usize = 3;
    const CHARS_MAX: usize = 300;

    /// `text` if it can be a reason.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let text = text.trim();
        let fits = (Self::CHARS_MIN..=Self::CHARS_MAX).contains(&text.chars().count());
        (fits && !text.chars().any(char::is_control)).then(|| Self(text.to_owned()))
    }
}

/// One line of the audit log.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct LogLine {
    pub(crate) id: Uuid,
    pub(crate) account_id: AccountId,
    pub(crate) who: String,
    pub(crate) act: String,
    pub(crate) subject_kind: String,
    pub(crate) subject_id: String,
    pub(crate) before: Option<Value>,
    pub(crate) after: Option<Value>,
    pub(crate) reason: Option<String>,
    pub(crate) acted_at: DateTime<Utc>,
}

/// What somebody else changed since a page was shown.
#[derive(Clone, Debug, Serialize)]
pub struct Meanwhile {
    /// Who.
    pub who: String,
    /// When.
    pub when: DateTime<Utc>,
    /// What.
    pub changes: Vec<FieldChange>,
}

/// One field that an act changed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct FieldChange {
    /// The field.
    pub field: String,
    /// What it was.
    pub before: Option<String>,
    /// What it is.
    pub after: Option<String>,
}

/// Which fields differ between two documents of one subject; the version is no field.
pub(crate) fn changes(before: Option<&Value>, after: Option<&Value>) -> Vec<FieldChange> {
    const VERSION: &str = "version";
    let fields =
        |document: Option<&Value>| document.and_then(Value::as_object).cloned().unwrap_or_default();
    let (before, after) = (fields(before), fields(after));
    let mut names: Vec<&String> = before.keys().chain(after.keys()).collect();
    names.sort();
    names.dedup();
    names
        .into_iter()
        .filter(|name| *name != VERSION && before.get(*name) != after.get(*name))
        .map(|name| FieldChange {
            field: name.clone(),
            before: before.get(name).and_then(told),
            after: after.get(name).and_then(told),
        })
        .collect()
}

/// A value as a person reads it.
fn told(value: &Value) -> Option<String> {
    match value {
        Value::Null => None,
        Value::String(text) => Some(text.clone()),
        other => Some(other.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn only_what_differs_is_a_change() {
        let before = json!({ "title": "A", "capacity": 5, "version": 1 });
        let after = json!({ "title": "A", "capacity": null, "slug": "a", "version": 2 });
        let changed = changes(Some(&before), Some(&after));
        let change = |field: &str, before: Option<&str>, after: Option<&str>| FieldChange {
            field: field.to_owned(),
            before: before.map(str::to_owned),
            after: after.map(str::to_owned),
        };
        assert_eq!(changed, [change("capacity", Some("5"), None), change("slug", None, Some("a"))]);
    }

    #[test]
    fn a_reason_is_a_sentence() {
        assert!(Reason::parse("  asked by phone ").is_some());
        for refused in ["", "  ", "ok", "a\nb c", &"x".repeat(301)] {
            assert!(Reason::parse(refused).is_none(), "{refused:?}");
        }
    }
}
