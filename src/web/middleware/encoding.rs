//! Refusal of compressed bodies, before a byte of them is read.
//!
//! Sixty kilobytes of gzip inflate to a hundred megabytes, and the framework inflates a body before
//! it compares its size with any bound. No form or document of the product needs it.

use actix_web::{
    Error,
    body::MessageBody,
    dev::{ServiceRequest, ServiceResponse},
    http::header::{CONTENT_ENCODING, HeaderMap},
    middleware::Next,
};

use crate::web::error::{PageError, UnsupportedMediaType};

/// The one content coding that is accepted.
const IDENTITY: &str = "identity";

/// Lets only requests without an encoded body pass; refuses others with [`UnsupportedMediaType`].
pub async fn refuse_encoded(
    request: ServiceRequest,
    next: Next<impl MessageBody + 'static>,
) -> Result<ServiceResponse<impl MessageBody>, Error> {
    if is_encoded(request.headers()) {
        let refused = request.error_response(PageError::from(UnsupportedMediaType));
        return Ok(refused.map_into_right_body());
    }
    Ok(next.call(request).await?.map_into_left_body())
}

/// Whether any `Content-Encoding` header names a coding other than `identity`. An unreadable value
/// counts as one.
fn is_encoded(headers: &HeaderMap) -> bool {
    headers.get_all(CONTENT_ENCODING).any(|value| {
        let codings = value.to_str().unwrap_or_default().split(',');
        !codings.map(str::trim).all(|coding| coding.eq_ignore_ascii_case(IDENTITY))
    })
}

#[cfg(test)]
mod tests {
    use actix_web::http::header::HeaderValue;

    use super::*;

    #[test]
    fn identity_is_the_only_coding() {
        let sent = |values: &[&[u8]]| {
            let mut headers = HeaderMap::new();
            for value in values {
                headers.append(CONTENT_ENCODING, HeaderValue::from_bytes(value).unwrap());
            }
            is_encoded(&headers)
        };
        for plain in
            [&[][..], &[&b"identity"[..]], &[&b"Identity"[..], &b" identity , IDENTITY "[..]]]
        {
            assert!(!sent(plain), "{plain:?}");
        }
        for encoded in [
            &[&b"gzip"[..]][..],
            &[&b"GZip"[..]],
            &[&b"br"[..]],
            &[&b"x-gzip"[..]],
            &[&b"identity, gzip"[..]],
            &[&b"identity"[..], &b"gzip"[..]],
            &[&b""[..]],
            &[&b"identity,"[..]],
            &[&b"\xff"[..]],
            &[&b"gzip;q=0"[..]],
        ] {
            assert!(sent(encoded), "{encoded:?}");
        }
    }
}
