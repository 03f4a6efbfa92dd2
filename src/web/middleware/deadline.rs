//! Deadlines of requests: none hangs, and a change outlives the client that asked for it.
//!
//! A read is dropped at its deadline. A change runs in a task of its own: a client that disconnects
//! cancels nothing, and at the deadline the caller gets an answer that the outcome is unknown while
//! the work goes on. The work has a bound too: after `CHANGE_WORK_MAX` it is dropped and rolls
//! back.

use std::time::Duration;

use actix_web::{
    Error, HttpMessage as _, HttpRequest, HttpResponse,
    body::MessageBody,
    dev::{ServiceRequest, ServiceResponse},
    middleware::Next,
    web,
};
use tokio_util::task::TaskTracker;
use tracing::Instrument;

use crate::{
    infra::failpoint,
    web::{
        READ_MAX, body,
        error::{PageError, Unavailable},
        files::upload::{self, Doorkeeper},
        path::RoutePattern,
    },
};

/// Upper bound of a change; after it the caller is answered that the outcome is unknown.
pub const CHANGE_MAX: Duration = Duration::from_millis(4_900);
/// [`CHANGE_MAX`] for routes where many requests may wait for the password gate, or where one writes
/// very many rows.
pub(crate) const LONG_CHANGE_MAX: Duration = Duration::from_secs(15);

/// Upper bound of a change's work, whether or not a client still waits for it.
pub const CHANGE_WORK_MAX: Duration = Duration::from_secs(20);
const _: () = assert!(CHANGE_MAX.as_secs() < CHANGE_WORK_MAX.as_secs());
const _: () = assert!(LONG_CHANGE_MAX.as_secs() < CHANGE_WORK_MAX.as_secs());

/// Running requests of one instance, for a graceful stop: once the tracker is closed, answers end
/// their connections. A change counts as running until its work is done, whether or not its client
/// still waits.
#[derive(Clone, Debug, Default)]
pub struct Running(pub TaskTracker);

/// Deadline and upload terms of a route.
#[derive(Clone, Copy, Debug)]
pub(crate) struct DeadlineTerms {
    /// Upper bound of a change on this route.
    pub(crate) change_max: Duration,
    /// Check that admits uploads; `None` where the route accepts none.
    pub(crate) doorkeeper: Option<Doorkeeper>,
}

/// Answers within the route's deadline, even if the handler does not end.
pub(crate) async fn answer_in_time(
    mut request: ServiceRequest,
    next: Next<impl MessageBody + 'static>,
    terms: DeadlineTerms,
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
    let (asked, answer) = (original.clone(), next.call(request));
    let change = async move {
        let (_running, _permit) = (running, permit);
        let answer = answer.await;
        failpoint::reach(|| before_answer(&asked)).await;
        answer
    };
    match in_own_task(change, terms.change_max, CHANGE_WORK_MAX).await {
        Some(answer) => Ok(answer?.map_into_left_body()),
        None => Ok(refusal(original, Unavailable.into()).map_into_right_body()),
    }
}

/// Returns the name of the failpoint of a change.
fn before_answer(asked: &HttpRequest) -> String {
    let path = asked.extensions().get().map_or("", |RoutePattern(pattern)| pattern);
    format!("{} {path} before its answer", asked.method())
}

/// Runs `change` in a task of its own, which is dropped after `work_max`. Returns `None` if it
/// takes longer than `answer_max` or panics: the caller cannot know the outcome.
async fn in_own_task<T: 'static>(
    change: impl Future<Output = T> + 'static,
    answer_max: Duration,
    work_max: Duration,
) -> Option<T> {
    let work = async move {
        let done = tokio::time::timeout(work_max, change).await;
        if done.is_err() {
            metrics::counter!("stagedoor_changes_dropped_total").increment(1);
            tracing::warn!("a change was dropped: it did not end by itself");
        }
        done.ok()
    };
    // The current span keeps its log lines attributed to the request.
    let work = actix_web::rt::spawn(work.in_current_span());
    tokio::time::timeout(answer_max, work).await.ok()?.ok()?
}

fn refusal(request: HttpRequest, error: PageError) -> ServiceResponse {
    ServiceResponse::new(request, HttpResponse::from_error(error))
}

#[cfg(test)]
mod tests {
    use std::future::pending;

    use tokio::sync::oneshot;

    use super::*;

    #[actix_web::test]
    async fn a_change_that_never_ends_is_answered_and_then_dropped() {
        const SHORT: Duration = Duration::from_millis(20);
        let (kept, dropped) = oneshot::channel::<()>();
        let change = async move {
            let _kept = kept;
            pending::<()>().await;
        };
        assert_eq!(in_own_task(change, SHORT, 10 * SHORT).await, None);
        // The wait is bounded by the test alone: the sender is dropped with the work.
        assert!(dropped.await.is_err());
    }

    #[actix_web::test]
    async fn a_change_outlives_its_answer() {
        const LONG: Duration = Duration::from_hours(1);
        let (go, gone) = oneshot::channel::<()>();
        let (done, is_done) = oneshot::channel::<()>();
        let change = async move {
            gone.await.unwrap();
            done.send(()).unwrap();
        };
        assert_eq!(in_own_task(change, Duration::ZERO, LONG).await, None);
        go.send(()).unwrap();
        is_done.await.unwrap();
    }
}
