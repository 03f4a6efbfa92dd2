//! Bodies of unknown length that nobody read to their end.
//!
//! The framework goes on reading such a body after the answer, to use the connection again: a client
//! that never ends it would keep the connection for ever. It closes the connection instead while the
//! body is still held when the answer is sent; so the answer holds it.

use std::{cell::RefCell, rc::Rc};

use actix_web::{
    Error, HttpMessage,
    body::MessageBody,
    dev::{Payload, ServiceRequest, ServiceResponse},
    http::header::TRANSFER_ENCODING,
    middleware::Next,
};
use futures_util::{Stream, StreamExt, stream};

/// Body that a request and its answer share.
#[derive(Clone)]
struct SharedBody(Rc<RefCell<Option<Payload>>>);

/// Lets the answer to a request whose body has no length, and was not read to its end, end the
/// connection.
pub(crate) async fn close_unread(
    mut request: ServiceRequest,
    next: Next<impl MessageBody + 'static>,
) -> Result<ServiceResponse<impl MessageBody>, Error> {
    if !request.headers().contains_key(TRANSFER_ENCODING) {
        return next.call(request).await;
    }
    let body = SharedBody(Rc::new(RefCell::new(Some(request.take_payload()))));
    request.set_payload(Payload::Stream { payload: Box::pin(body.clone().read()) });
    let mut response = next.call(request).await?;
    if body.0.borrow().is_some() {
        response.response_mut().extensions_mut().insert(body);
    }
    Ok(response)
}

impl SharedBody {
    /// Returns the body as a stream, which lets go of it at its end.
    fn read(
        self,
    ) -> impl Stream<Item = Result<actix_web::web::Bytes, actix_web::error::PayloadError>> {
        stream::poll_fn(move |cx| {
            let mut body = self.0.borrow_mut();
            let Some(payload) = body.as_mut() else { return std::task::Poll::Ready(None) };
            let polled = payload.poll_next_unpin(cx);
            if matches!(polled, std::task::Poll::Ready(None | Some(Err(_)))) {
                *body = None;
            }
            polled
        })
    }
}
