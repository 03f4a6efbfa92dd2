//! Answer that lasts: events as they happen, for `EventSource` of browsers.

use std::convert::Infallible;

use actix_web::{HttpResponse, http::header, web::Bytes};
use futures_util::{Stream, StreamExt, stream};

/// Comment by which both ends notice a broken stream.
pub const HEARTBEAT: Bytes = Bytes::from_static(b": here\n\n");

/// Answers with `events`, behind a comment that is sent at once.
pub fn answer(events: impl Stream<Item = Bytes> + 'static) -> HttpResponse {
    let opening = stream::iter([Bytes::from_static(b": open\n\n")]);
    HttpResponse::Ok()
        .insert_header((header::CONTENT_TYPE, "text/event-stream"))
        // Compression or buffering by a proxy would delay events.
        .insert_header((header::CONTENT_ENCODING, "identity"))
        .insert_header(("x-accel-buffering", "no"))
        .streaming(opening.chain(events).map(Ok::<_, Infallible>))
}
