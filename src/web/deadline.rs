//! No request hangs, and a change outlives the browser that asked for it.
//!
//! A read is dropped at its deadline. A change runs in a task of its own: a browser
//! that goes away in the middle cancels nothing, and at the deadline the caller is
//! told that the outcome is unknown while the work runs to its end.

use std::time::Duration;

use actix_web::{
    Error, HttpRequest, HttpResponse,
    body::MessageBody,
    dev::{ServiceRequest, ServiceResponse},
    middleware::Next,
    web,
};
use tokio_util::task::TaskTracker;
use tracing::Instrument;

use super::{
    body,
    error::{PageError, Unavailable},
    upload::{self, Doorkeeper},
};

/// How long a read may take, all in all.
pub const READ_MAX: Duration = Duration::from_millis(1_900);
/// How long a change may take before its caller is told that it is unknown.
pub const CHANGE_MAX: Duration = Duration::from_millis(4_900);
/// The same where a crowd may stand in front of the password gate.
pub(super) const PATIENT_CHANGE_MAX: Duration = Duration::from_secs(15);

/// The requests of one instance that still run, for a graceful stop: once it is closed,
/// answers end their connections. A change is among them until it is done, whether or not
/// somebody waits for its answer.
#[derive(Clone, Debug, Default)]
pub struct Running(pub TaskTracker);

/// What a route asks of its changes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Terms {
    /// How long one may take.
    pub(super) change_max: Duration,
    /// Who lets uploads in, where the route takes any.
    pub(super) doorkeeper: Option<Doorkeeper>,
}

/// Answers in time, whatever the handler does.
pub(super) async fn answer_in_time(
    mut request: ServiceRequest,
    next: Next<impl MessageBody + 'static>,
    terms: Terms,
) -> Result<ServiceResponse<impl MessageBody>, Error> {
    let original = request.request().clone();
    let running = original.app_data::<web::Data<Running>>().map(|running| running.0.token());
    if request.method().is_safe() {
        let answer = tokio::time::timeout(READ_MAX, next.call(request)).await;
        drop(running);
        return match answer {
            Ok(answer) => Ok(answer?.map_into_left_body()),
            Err(_) => Ok(refusal(original, Unavailable.into()).map_into_right_body()),
        };
    }
    let received = match terms.doorkeeper {
        Some(doorkeeper) => upload::receive(&mut request, doorkeeper).await.map(Some),
        None => body::receive(&mut request, body::BYTES_MAX).await.map(|()| None),
    };
    let permit = match received {
        Ok(permit) => permit,
        Err(refused) => return Ok(refusal(original, refused).map_into_right_body()),
    };
    let answer = next.call(request);
    let change = async move {
        let (_running, _permit) = (running, permit);
        answer.await
    };
    // Its log lines still belong to the request.
    let change = actix_web::rt::spawn(change.in_current_span());
    match tokio::time::timeout(terms.change_max, change).await {
        Ok(Ok(answer)) => Ok(answer?.map_into_left_body()),
        // Too late, or it panicked: the caller cannot know what was done.
        _ => Ok(refusal(original, Unavailable.into()).map_into_right_body()),
    }
}

fn refusal(request: HttpRequest, error: PageError) -> ServiceResponse {
    ServiceResponse::new(request, HttpResponse::from_error(error))
}
