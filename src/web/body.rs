//! The body of a change, received whole before any work begins.
//!
//! The framework bounds how long a request's head may take but not its body, and a
//! handler that reads from the connection would be tied to it.

use std::time::Duration;

use actix_web::{
    HttpMessage,
    dev::{Payload, ServiceRequest},
    http::header::CONTENT_LENGTH,
    web::{Bytes, BytesMut},
};
use futures_util::StreamExt;

use super::error::{BadRequest, PageError, RequestTimeout, TooLarge};

/// A form or a JSON document.
const BYTES_MAX: usize = 64 * 1024;
/// An uploaded file.
const UPLOAD_BYTES_MAX: usize = 8 * 1024 * 1024;
/// How long a browser may take to send it.
const RECEIVE_MAX: Duration = Duration::from_secs(10);

/// Takes the body off the connection and puts it back whole.
pub(super) async fn receive(request: &mut ServiceRequest) -> Result<(), PageError> {
    let bytes_max = match request.content_type().starts_with("multipart/") {
        true => UPLOAD_BYTES_MAX,
        false => BYTES_MAX,
    };
    let announced = request.headers().get(CONTENT_LENGTH).and_then(|value| value.to_str().ok());
    if announced.and_then(|text| text.parse().ok()).is_some_and(|bytes: usize| bytes > bytes_max) {
        return Err(TooLarge.into());
    }
    let payload = request.take_payload();
    let received = tokio::time::timeout(RECEIVE_MAX, collect(payload, bytes_max));
    let body = received.await.unwrap_or_else(|_| Err(RequestTimeout.into()))?;
    request.set_payload(Payload::from(body));
    Ok(())
}

async fn collect(mut payload: Payload, bytes_max: usize) -> Result<Bytes, PageError> {
    let mut body = BytesMut::new();
    while let Some(chunk) = payload.next().await {
        let chunk = chunk.map_err(|error| {
            tracing::debug!(%error, "a body broke off");
            BadRequest
        })?;
        if body.len() + chunk.len() > bytes_max {
            return Err(TooLarge.into());
        }
        body.extend_from_slice(&chunk);
    }
    Ok(body.freeze())
}
