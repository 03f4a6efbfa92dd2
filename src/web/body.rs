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

use super::error::{BadRequest, PageError, RequestTimeout, TooLarge};

/// A form or a JSON document.
pub(crate) const BYTES_MAX: usize = 64 * 1024;
/// What is read and thrown away of a body that is too large: a browser that is still
/// sending would not see the refusal.
const DISCARDED_BYTES_MAX: usize = 64 * 1024 * 1024;
/// How long a browser may take to send it.
const RECEIVE_MAX: Duration = Duration::from_secs(10);

/// Takes the body off the connection and puts it back whole, if it has `bytes_max` at most.
pub(crate) async fn receive(
    request: &mut ServiceRequest,
    bytes_max: usize,
) -> Result<(), PageError> {
    let received = collect(request.take_payload(), bytes_max);
    let received = tokio::time::timeout(RECEIVE_MAX, received).await;
    let body = received.unwrap_or_else(|_| Err(RequestTimeout.into()))?;
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
