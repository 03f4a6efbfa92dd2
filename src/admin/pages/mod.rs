//! Parts shared by the admin pages: form fields, and the changes made meanwhile.

mod words;

use std::ops::RangeInclusive;

use actix_web::{HttpResponse, http::StatusCode};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub(crate) use self::words::{WordsForm, parse_words};
use super::{error::AdminError, questions::ZoneQuestion};
use crate::{
    audit::model::{Meanwhile, Reason},
    web::{
        flash::with_message,
        form::{Field, FormRefusal, Mistakes},
        page::View,
    },
};

/// Answers a saved change: browsers are led to `location`, with a message.
pub fn saved(v: &View, document: &impl Serialize, location: &str) -> HttpResponse {
    with_message(v.done(StatusCode::OK, document, location), "flash-admin-saved")
}

/// Returns the changes made meanwhile that a refused form is shown with. Called from templates.
pub fn meanwhile(refusal: &FormRefusal) -> &[Meanwhile] {
    refusal.find().map_or(&[], AdminError::meanwhile)
}

impl AdminError {
    /// Returns the changes made meanwhile; empty for other errors.
    pub fn meanwhile(&self) -> &[Meanwhile] {
        match self {
            Self::ChangedMeanwhile(meanwhile) => meanwhile,
            _ => &[],
        }
    }

    /// Returns the question what performances keep in another time zone, if that is what is asked.
    pub(crate) fn zone_question(&self) -> Option<&ZoneQuestion> {
        match self {
            Self::ZoneAsked(question) => Some(question),
            _ => None,
        }
    }
}

/// Parses the version of the edition that a form was made of.
pub(crate) fn parse_version(mistakes: &mut Mistakes, version: &Field) -> Option<i64> {
    mistakes.note("version", "admin-refusal-version", version.parse())
}

/// Parses the reason for an act.
pub(crate) fn parse_reason(mistakes: &mut Mistakes, reason: &Field) -> Option<Reason> {
    mistakes.note("reason", "admin-refusal-reason", Reason::parse(reason.text()))
}

/// Form that says only the reason for an act.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default)]
#[schemars(extend("required" = ["reason"]))]
pub struct ReasonForm {
    /// Reason, for the log.
    reason: Field,
}

impl ReasonForm {
    /// Parses the reason.
    pub(crate) fn parse(&self) -> Result<Reason, Mistakes> {
        let mut mistakes = Mistakes::default();
        let reason = parse_reason(&mut mistakes, &self.reason);
        mistakes.or(reason)
    }
}

/// Returns the field's text if it has `min` to `max` characters.
pub(crate) fn parse_text(field: &Field, min: usize, max: usize) -> Option<String> {
    let text = field.text();
    (min..=max).contains(&text.chars().count()).then(|| text.to_owned())
}

/// Parses a number in `range`; `Some(None)` for an empty field, `None` for anything else.
#[expect(clippy::option_option, reason = "nothing typed is an answer, nonsense is none")]
pub(crate) fn parse_optional(field: &Field, range: &RangeInclusive<i32>) -> Option<Option<i32>> {
    match field.is_empty() {
        true => Some(None),
        false => field.parse().filter(|number| range.contains(number)).map(Some),
    }
}

/// Locale key of the refusal of a number out of its range.
pub(crate) const NUMBER: &str = "admin-refusal-number";

/// Parses a number in `range`; `None` for anything else.
pub(crate) fn number(field: &Field, range: &RangeInclusive<i32>) -> Option<i32> {
    field.parse().filter(|number| range.contains(number))
}

/// Range of a limit of a queue.
pub(crate) const LIMITS: RangeInclusive<i32> = 1..=10_000_000;

/// Parses a limit of a queue, a positive number; `Some(None)` for an empty field, `None` with a
/// mistake for anything else.
#[expect(clippy::option_option, reason = "nothing typed is an answer, nonsense is none")]
pub(crate) fn parse_limit(
    mistakes: &mut Mistakes,
    name: &'static str,
    field: &Field,
) -> Option<Option<i32>> {
    mistakes.note(name, "admin-refusal-positive", parse_optional(field, &LIMITS))
}
