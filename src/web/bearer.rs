//! Bearer tokens in the `Authorization` header (RFC 6750).

use actix_web::{HttpRequest, http::header::AUTHORIZATION};
use sha2::{Digest, Sha256};

/// Returns the token that `request` bears; `None` if it bears none.
pub fn token_of(request: &HttpRequest) -> Option<&str> {
    let said = request.headers().get(AUTHORIZATION)?.to_str().ok()?;
    let (scheme, token) = said.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then(|| token.trim())
}

/// Whether `request` bears `token`. Compares digests of equal length to their end, so that the time
/// does not depend on the texts.
pub fn bears(request: &HttpRequest, token: &str) -> bool {
    let said = token_of(request).unwrap_or_default();
    let (said, token) = (Sha256::digest(said), Sha256::digest(token));
    said.iter().zip(token.iter()).fold(0, |differs, (a, b)| differs | (a ^ b)) == 0
}
