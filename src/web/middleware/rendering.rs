//! Rendering of errors: a problem document for programs, a page or a redirect for people.

use actix_web::{
    Error, HttpMessage, HttpRequest, HttpResponse,
    body::MessageBody,
    dev::{ServiceRequest, ServiceResponse},
    http::{StatusCode, header},
    middleware::Next,
};
use askama::Template;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};

use super::request_id::RequestId;
use crate::{
    text::i18n::Phrase,
    web::{
        error::{
            BadRequest, HttpError, Internal, KitError, NotFound, PageError, Problem, TooLarge,
            UnsupportedMediaType,
        },
        page::{View, json, see_other},
    },
};

#[derive(Template)]
#[template(path = "errors/show.html")]
struct ErrorPage<'a> {
    v: &'a View,
    status: u16,
    code: &'a str,
    title: Phrase,
    detail: Phrase,
    /// Why fields were refused; empty for any other error.
    reasons: Vec<Phrase>,
    action: Phrase,
    href: String,
    request_id: String,
}

/// Members that every problem document has.
const OF_EVERY_PROBLEM: [&str; 5] = ["type", "title", "status", "detail", "code"];

/// Problem document (RFC 9457).
#[derive(Debug, Serialize, JsonSchema)]
pub struct ProblemDocument {
    /// Always `about:blank`: `code` says what the problem is.
    #[serde(rename = "type")]
    kind: &'static str,
    /// Title of the refusal, in the language of the request.
    title: String,
    /// The HTTP status.
    status: u16,
    /// Advice on the next step, in the language of the request.
    detail: String,
    /// Name of the problem, which never changes.
    code: &'static str,
    /// Further members, by the code.
    #[serde(flatten)]
    members: Map<String, Value>,
}

/// Renders every failed response as a page or a problem document.
pub async fn render(
    request: ServiceRequest,
    next: Next<impl MessageBody + 'static>,
) -> Result<ServiceResponse<impl MessageBody>, Error> {
    let response = next.call(request).await?;
    if response.response().error().is_none() {
        return Ok(response.map_into_left_body());
    }
    let (request, response) = response.into_parts();
    let answer = match response.error().and_then(|error| error.as_error::<PageError>()) {
        Some(error) => answer(&request, error.inner()),
        None => answer(&request, &framework_error(response.status())),
    };
    Ok(ServiceResponse::new(request, answer).map_into_right_body())
}

/// Returns the error for a status that the framework raised, for example for a path segment that is
/// no UUID or for a broken query string.
fn framework_error(status: StatusCode) -> KitError {
    match status {
        StatusCode::NOT_FOUND => NotFound,
        StatusCode::PAYLOAD_TOO_LARGE => TooLarge,
        StatusCode::UNSUPPORTED_MEDIA_TYPE => UnsupportedMediaType,
        status if status.is_client_error() => BadRequest,
        _ => Internal,
    }
}

fn answer(request: &HttpRequest, error: &dyn HttpError) -> HttpResponse {
    let (view, mut problem) = (View::of(request), error.problem());
    view.note_refusal(problem.status, problem.code);
    log(error, &problem);
    let mut answer = if view.format.is_for_programs() {
        document(&view, &mut problem)
    } else if let Some(location) = problem.location(&view.path) {
        see_other(&location)
    } else {
        error_page(request, &view, &problem)
    };
    let headers = answer.headers_mut();
    for (name, value) in &problem.headers {
        if let Ok(value) = header::HeaderValue::from_str(value) {
            headers.insert(header::HeaderName::from_static(name), value);
        }
    }
    if let Some(secs) = problem.retry_after_secs {
        headers.insert(header::RETRY_AFTER, header::HeaderValue::from(secs));
    }
    answer
}

fn error_page(request: &HttpRequest, view: &View, problem: &Problem) -> HttpResponse {
    let request_id = request.extensions().get::<RequestId>().map(|id| id.0.to_string());
    let href = problem.recovery_href.clone();
    let page = ErrorPage {
        v: view,
        status: problem.status.as_u16(),
        code: problem.code,
        title: view.told(problem, "title"),
        detail: view.told(problem, "detail"),
        reasons: reasons(view, problem),
        action: view.told(problem, "action"),
        href: href.unwrap_or_else(|| way_back(request, view, problem)),
        request_id: request_id.unwrap_or_default(),
    };
    view.html(problem.status, &page)
}

/// Returns why fields were refused.
fn reasons(view: &View, problem: &Problem) -> Vec<Phrase> {
    let fields = problem.members.get("fields").and_then(Value::as_object);
    let reason = |(name, key): (&String, &Value)| {
        Some(view.text(key.as_str()?.to_owned()).word("field", name))
    };
    fields.into_iter().flatten().filter_map(reason).collect()
}

/// Returns the page to try again from where that can help, after a 5xx or with a `Retry-After`: the
/// page itself, or the one whose form was sent. A read whose query string was refused leads to the page
/// without it, a request about a thing to the page of the thing, and any other request to the start
/// page.
fn way_back(request: &HttpRequest, view: &View, problem: &Problem) -> String {
    let can_help = problem.is_worth_a_retry();
    let is_read = request.method().is_safe();
    match is_read {
        _ if can_help && (is_read || view.path != "/") => view.path.clone(),
        true if problem.members.contains_key("fields") => request.path().to_owned(),
        _ if problem.status == StatusCode::NOT_FOUND => "/".to_owned(),
        _ => page_of_thing(request.path()).unwrap_or_else(|| "/".to_owned()),
    }
}

/// Returns the page of the thing that `path` stands below; `None` if it stands below none.
fn page_of_thing(path: &str) -> Option<String> {
    const THINGS: [&str; 5] = ["programs", "schedules", "reservations", "shares", "tickets"];
    let mut parts = path.strip_prefix('/')?.splitn(3, '/');
    let (noun, name) = (parts.next()?, parts.next()?);
    parts.next()?;
    THINGS.contains(&noun).then(|| format!("/{noun}/{name}"))
}

fn document(view: &View, problem: &mut Problem) -> HttpResponse {
    // A state in the members of a problem has a status of its own: the problem's `status` is the HTTP
    // status.
    problem.members.retain(|name, _| !OF_EVERY_PROBLEM.contains(&name.as_str()));
    let document = ProblemDocument {
        kind: "about:blank",
        title: view.told(problem, "title").to_string(),
        status: problem.status.as_u16(),
        detail: view.told(problem, "detail").to_string(),
        code: problem.code,
        members: std::mem::take(&mut problem.members),
    };
    let mut answer = json(problem.status, &document);
    let media_type = header::HeaderValue::from_static("application/problem+json");
    answer.headers_mut().insert(header::CONTENT_TYPE, media_type);
    answer
}

fn log(error: &dyn HttpError, problem: &Problem) {
    if problem.status == StatusCode::INTERNAL_SERVER_ERROR {
        let causes: Vec<String> = std::iter::successors(error.source(), |cause| (*cause).source())
            .map(ToString::to_string)
            .collect();
        tracing::error!(%error, ?causes, "a request failed");
    } else if problem.status.is_server_error() {
        tracing::warn!(%error, "a request could not be answered");
    } else {
        tracing::debug!(code = problem.code, "a request was refused");
    }
}
