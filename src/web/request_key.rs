//! Request keys, as a form field and as a header.

use actix_web::HttpRequest;
use uuid::Uuid;

use super::form::{Field, Mistakes};

/// Locale key of the refusal.
const REFUSAL: &str = "common-refusal-request-key";

/// Parses `request_key`; `None` without a mistake if the field is empty: the request has no key.
pub(crate) fn parse(mistakes: &mut Mistakes, request_key: &Field) -> Option<Uuid> {
    match request_key.is_empty() {
        true => None,
        false => mistakes.note("request_key", REFUSAL, request_key.parse()),
    }
}

/// Returns the key in the header `Idempotency-Key`, a UUID; `None` if the request has none.
pub(crate) fn of_header(request: &HttpRequest) -> Result<Option<Uuid>, Mistakes> {
    let Some(said) = request.headers().get("idempotency-key") else { return Ok(None) };
    let key =
        said.to_str().ok().and_then(|text| Uuid::try_parse(text.trim().trim_matches('"')).ok());
    key.map(Some).ok_or_else(|| Mistakes::one("idempotency-key", REFUSAL))
}
