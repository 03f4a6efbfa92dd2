//! Bearer tokens in the `Authorization` header (RFC 6750).

use actix_web::{HttpRequest, http::header::AUTHORIZATION};
use sha2::{Digest, Sha256};

/// Whether `request` bears `token`. Compares digests of equal length to their end, so that the time
/// does not depend on the texts.
pub(crate) fn bears(request: &HttpRequest, token: &str) -> bool {
    let said = request.headers().get(AUTHORIZATION).and_then(|value| value.to_str().ok());
    let said = said.and_then(|value| value.split_once(' '));
    let said = said.filter(|(scheme, _)| scheme.eq_ignore_ascii_case("bearer"));
    let said = said.map(|(_, token)| token.trim()).unwrap_or_default();
    let (said, token) = (Sha256::digest(said), Sha256::digest(token));
    said.iter().zip(token.iter()).fold(0, |differs, (a, b)| differs | (a ^ b)) == 0
}
