//! Bodies of changes, received whole before their handlers run.
//!
//! The framework bounds how long a request's head may take but not its body, and a handler that
//! read from the connection would depend on it.

use std::time::Duration;

use actix_web::{
    HttpMessage,
    dev::{Payload, ServiceRequest},
    web::{Bytes, BytesMut},
};
use futures_util::StreamExt;

use super::error::{BadRequest, PageError, RequestTimeout, TooLarge};

/// Upper bound of a form or a JSON document, in bytes.
pub const BYTES_MAX: usize = 64 * 1024;
/// Upper bound of what is read and discarded of a body that is too large, in bytes: a browser that
/// is still sending would not see the refusal.
const DISCARDED_BYTES_MAX: usize = 64 * 1024 * 1024;
/// How long a client may take to send its body.
const RECEIVE_MAX: Duration = Duration::from_secs(10);

/// Receives the body and puts it back whole; fails with [`TooLarge`] above `bytes_max`, and with
/// [`RequestTimeout`] after [`RECEIVE_MAX`].
pub(crate) async fn receive(
    request: &mut ServiceRequest,
    bytes_max: usize,
) -> Result<(), PageError> {
    let body = receive_payload(request.take_payload(), bytes_max).await?;
    request.set_payload(Payload::from(body));
    Ok(())
}

/// Works as [`receive`], and returns the body.
pub async fn receive_payload(payload: Payload, bytes_max: usize) -> Result<Bytes, PageError> {
    let received = tokio::time::timeout(RECEIVE_MAX, collect(payload, bytes_max)).await;
    received.unwrap_or_else(|_| Err(RequestTimeout.into()))
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
