//! Parts shared by the admin pages: flash messages and form fields.

pub(crate) mod download;

use super::error::AdminError;
pub(crate) use crate::web::flash::with_message;
use crate::{
    audit::model::{Meanwhile, Reason},
    web::form::{Field, Mistakes},
};

impl AdminError {
    /// Returns the changes made meanwhile; empty for other errors.
    pub(crate) fn meanwhile(&self) -> &[Meanwhile] {
        match self {
            Self::ChangedMeanwhile(meanwhile) => meanwhile,
            _ => &[],
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
