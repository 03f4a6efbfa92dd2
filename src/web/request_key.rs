//! Request keys, as a form field and as a header.

use std::{
    convert::Infallible,
    future::{Ready, ready},
};

use actix_web::{FromRequest, HttpRequest, dev::Payload};
use uuid::Uuid;

use super::{
    error::{KitError, codes},
    form::{Field, Mistakes},
    path::described::{Described, Facts},
};

/// Locale key of the refusal.
const REFUSAL: &str = "common-refusal-request-key";

/// Parses `request_key`; `None` without a mistake if the field is empty: the request has no key.
pub fn parse(mistakes: &mut Mistakes, request_key: &Field) -> Option<Uuid> {
    match request_key.is_empty() {
        true => None,
        false => mistakes.note("request_key", REFUSAL, request_key.parse()),
    }
}

/// Key in the header `Idempotency-Key`, a UUID; `None` if the request has none. A malformed key is refused by
/// the handler, after the check of the caller's rights.
#[derive(Clone, Debug)]
pub struct HeaderKey(pub Result<Option<Uuid>, Mistakes>);

impl FromRequest for HeaderKey {
    type Error = Infallible;
    type Future = Ready<Result<Self, Infallible>>;

    fn from_request(request: &HttpRequest, _: &mut Payload) -> Self::Future {
        ready(Ok(Self(of_header(request))))
    }
}

impl Described for HeaderKey {
    fn describe(facts: &mut Facts) {
        facts.reads_header(
            "Idempotency-Key",
            "UUID of the request. Repeated, the first success is answered again.",
        );
        facts.refuses(codes![KitError::{KeyReused, AlreadyProcessing}]);
    }
}

fn of_header(request: &HttpRequest) -> Result<Option<Uuid>, Mistakes> {
    let Some(said) = request.headers().get("idempotency-key") else { return Ok(None) };
    let key =
        said.to_str().ok().and_then(|text| Uuid::try_parse(text.trim().trim_matches('"')).ok());
    key.map(Some).ok_or_else(|| Mistakes::one("idempotency-key", REFUSAL))
}
