//! Files whose address has their version: browsers keep them for ever, and are not sent them twice.

use actix_web::{
    HttpRequest, HttpResponse,
    http::header::{self, EntityTag, Header as _, IfNoneMatch},
    web::Bytes,
};

/// Files whose address changes with their content are cached for ever.
pub const FOR_EVER: &str = "public, max-age=31536000, immutable";
/// A file under the address of another version may differ the next time.
pub const NOT_KEPT: &str = "no-cache";

/// Answers with a file, or that it is the one with the tag `etag` that the asker has.
pub fn versioned_file(
    request: &HttpRequest,
    etag: String,
    cache_control: &'static str,
    content_type: &'static str,
    file: Bytes,
) -> HttpResponse {
    let etag = EntityTag::new_strong(etag);
    let is_known = match IfNoneMatch::parse(request) {
        Ok(IfNoneMatch::Any) => true,
        Ok(IfNoneMatch::Items(known)) => known.iter().any(|known| known.weak_eq(&etag)),
        Err(_) => false,
    };
    let mut response = if is_known { HttpResponse::NotModified() } else { HttpResponse::Ok() };
    response
        .insert_header((header::ETAG, etag))
        .insert_header((header::CACHE_CONTROL, cache_control));
    if is_known { response.finish() } else { response.content_type(content_type).body(file) }
}
