//! Bodies of unknown length that no handler read to their end.
//!
//! The framework goes on reading such a body after the answer, to use the connection again: a client
//! that never ends it would keep the connection for ever. It closes the connection instead while the
//! body is still held when the answer is sent; so the answer holds it.

use std::{
    cell::RefCell,
    fmt,
    pin::Pin,
    rc::Rc,
    task::{Context, Poll},
};

use actix_web::{
    Error, HttpMessage,
    body::{BodySize, BoxBody, EitherBody, MessageBody},
    dev::{Payload, ServiceRequest, ServiceResponse},
    http::header::TRANSFER_ENCODING,
    middleware::Next,
    web::Bytes,
};
use futures_util::{Stream, StreamExt, stream};

/// Body that a request and its answer share.
#[derive(Clone)]
struct SharedBody(Rc<RefCell<Option<Payload>>>);

/// Body of an answer that holds the request's until it is sent.
pub struct Holding {
    answer: BoxBody,
    _unread: SharedBody,
}

impl fmt::Debug for Holding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Holding").field("answer", &self.answer).finish_non_exhaustive()
    }
}

/// Lets the answer to a request whose body has no length, and was not read to its end, end the
/// connection.
pub async fn close_unread(
    mut request: ServiceRequest,
    next: Next<impl MessageBody + 'static>,
) -> Result<ServiceResponse<EitherBody<impl MessageBody + 'static, Holding>>, Error> {
    if !request.headers().contains_key(TRANSFER_ENCODING) {
        return Ok(next.call(request).await?.map_into_left_body());
    }
    let body = SharedBody(Rc::new(RefCell::new(Some(request.take_payload()))));
    request.set_payload(Payload::Stream { payload: Box::pin(body.clone().read()) });
    let response = next.call(request).await?;
    if body.0.borrow().is_none() {
        return Ok(response.map_into_left_body());
    }
    let response = response.map_into_boxed_body();
    let response = response.map_body(|_, answer| Holding { answer, _unread: body });
    Ok(response.map_into_right_body())
}

impl MessageBody for Holding {
    type Error = <BoxBody as MessageBody>::Error;

    fn size(&self) -> BodySize {
        self.answer.size()
    }

    fn poll_next(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Bytes, Self::Error>>> {
        Pin::new(&mut self.answer).poll_next(cx)
    }
}

impl SharedBody {
    /// Returns the body as a stream, which lets go of it at its end.
    fn read(self) -> impl Stream<Item = Result<Bytes, actix_web::error::PayloadError>> {
        stream::poll_fn(move |cx| {
            let mut body = self.0.borrow_mut();
            let Some(payload) = body.as_mut() else { return Poll::Ready(None) };
            let polled = payload.poll_next_unpin(cx);
            if matches!(polled, Poll::Ready(None | Some(Err(_)))) {
                *body = None;
            }
            polled
        })
    }
}
