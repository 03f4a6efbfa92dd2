//! The body of a change, received whole before any work begins.
//!
//! The framework bounds how long a request's head may take but not its body, and a
//! handler that reads from the connection would be tied to it.

use std::time::Duration;

use actix_web::{
    HttpMessage,
    dev::{Payload, ServiceRequest},
    web::{Bytes, BytesMut},
};
use futures_util::StreamExt;
use tokio::sync::{Semaphore, SemaphorePermit};

use super::error::{BadRequest, PageError, RequestTimeout, TooLarge};

/// A form or a JSON document.
const BYTES_MAX: usize = 64 * 1024;
/// An uploaded file of 8 MiB and what a browser adds to it: the form's other fields, and a
/// carriage return a line where the text comes back from a page.
const UPLOAD_BYTES_MAX: usize = (8 * 1024 + 256) * 1024;
/// Uploads that are held in memory at the same time.
const UPLOADS_AT_ONCE: usize = 4;
/// What is read and thrown away of a body that is too large: a browser that is still
/// sending would not see the refusal.
const DISCARDED_BYTES_MAX: usize = 64 * 1024 * 1024;
/// How long a browser may take to send it.
const RECEIVE_MAX: Duration = Duration::from_secs(10);

static UPLOADS: Semaphore = Semaphore::const_new(UPLOADS_AT_ONCE);

/// An upload's turn, for as long as its request lives.
struct Turn {
    _permit: SemaphorePermit<'static>,
}

/// Takes the body off the connection and puts it back whole.
pub(super) async fn receive(request: &mut ServiceRequest) -> Result<(), PageError> {
    let received = tokio::time::timeout(RECEIVE_MAX, receive_all(request)).await;
    received.unwrap_or_else(|_| Err(RequestTimeout.into()))
}

async fn receive_all(request: &mut ServiceRequest) -> Result<(), PageError> {
    let is_upload = request.content_type().starts_with("multipart/");
    let bytes_max = if is_upload { UPLOAD_BYTES_MAX } else { BYTES_MAX };
    if is_upload && let Ok(permit) = UPLOADS.acquire().await {
        request.extensions_mut().insert(Turn { _permit: permit });
    }
    let body = collect(request.take_payload(), bytes_max).await?;
    request.set_payload(Payload::from(body));
    Ok(())
}

async fn collect(mut payload: Payload, bytes_max: usize) -> Result<Bytes, PageError> {
    let mut body = BytesMut::new();
    let mut n_received = 0;
    while let Some(chunk) = payload.next().await {
        let chunk = chunk.map_err(|error| {
            tracing::debug!(%error, "a body broke off");
            BadRequest
        })?;
        n_received += chunk.len();
        if n_received > DISCARDED_BYTES_MAX {
            return Err(TooLarge.into());
        }
        match n_received > bytes_max {
            true => body = BytesMut::new(),
            false => body.extend_from_slice(&chunk),
        }
    }
    match n_received > bytes_max {
        true => Err(TooLarge.into()),
        false => Ok(body.freeze()),
    }
}
