//! Form field of request keys.

use uuid::Uuid;

use super::form::{Field, Mistakes};

/// Parses `request_key`; `None` without a mistake if the field is empty: the request has no key.
pub(crate) fn parse(mistakes: &mut Mistakes, request_key: &Field) -> Option<Uuid> {
    match request_key.is_empty() {
        true => None,
        false => mistakes.note("request_key", "common-refusal-request-key", request_key.parse()),
    }
}
