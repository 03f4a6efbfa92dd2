//! Rendering of errors: a problem document for programs, a page or a redirect for people.

use actix_web::{
    Error, HttpMessage, HttpRequest, HttpResponse,
    body::MessageBody,
    dev::{ServiceRequest, ServiceResponse},
    http::{StatusCode, header},
    middleware::Next,
};
use askama::Template;
use serde_json::{Value, json};

use super::{
    error::{
        BadRequest, HttpError, Internal, NotFound, PageError, TooLarge, UnsupportedMediaType,
        phrase,
    },
    page::View,
    request_id::RequestId,
};
use crate::text::i18n::Phrase;

#[derive(Template)]
#[template(path = "errors/show.html")]
pub(crate) struct ErrorPage<'a> {
    v: &'a View,
    status: u16,
    title: Phrase,
    detail: Phrase,
    action: Phrase,
    href: String,
    request_id: String,
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
        Some(error) => tell(&request, error.fault()),
        None => tell(&request, fault_of(response.status())),
    };
    Ok(ServiceResponse::new(request, answer).map_into_right_body())
}

/// Returns the error for a status that the framework raised, for example for a path segment that is
/// no UUID or for a broken query string.
pub(crate) fn fault_of(status: StatusCode) -> &'static dyn HttpError {
    match status {
        StatusCode::NOT_FOUND => &NotFound,
        StatusCode::PAYLOAD_TOO_LARGE => &TooLarge,
        StatusCode::UNSUPPORTED_MEDIA_TYPE => &UnsupportedMediaType,
        status if status.is_client_error() => &BadRequest,
        _ => &Internal,
    }
}

pub(crate) fn tell(request: &HttpRequest, fault: &dyn HttpError) -> HttpResponse {
    log(fault);
    let view = View::of(request);
    let mut answer = if view.format.is_for_programs() {
        problem(&view, fault)
    } else if let Some(location) = fault.redirect(&view.path) {
        super::page::see_other(&location)
    } else {
        error_page(request, &view, fault)
    };
    let headers = answer.headers_mut();
    for (name, value) in fault.headers() {
        if let Ok(value) = header::HeaderValue::from_str(&value) {
            headers.insert(name, value);
        }
    }
    if let Some(secs) = fault.retry_after_secs() {
        headers.insert(header::RETRY_AFTER, header::HeaderValue::from(secs));
    }
    answer
}

pub(crate) fn error_page(
    request: &HttpRequest,
    view: &View,
    fault: &dyn HttpError,
) -> HttpResponse {
    let request_id = request.extensions().get::<RequestId>().map(|id| id.0.to_string());
    let page = ErrorPage {
        v: view,
        status: fault.status().as_u16(),
        title: phrase(view.locale, fault, "title"),
        detail: phrase(view.locale, fault, "detail"),
        action: phrase(view.locale, fault, "action"),
        href: fault.recovery_href().unwrap_or_else(|| way_back(request, view, fault)),
        request_id: request_id.unwrap_or_default(),
    };
    view.html(fault.status(), &page)
}

/// Returns the current page where a retry can help (a read that failed with a 5xx or a
/// `Retry-After`), else the start page.
pub(crate) fn way_back(request: &HttpRequest, view: &View, fault: &dyn HttpError) -> String {
    let can_help = fault.status().is_server_error() || fault.retry_after_secs().is_some();
    if can_help && request.method().is_safe() { view.path.clone() } else { "/".to_owned() }
}

pub(crate) fn problem(view: &View, fault: &dyn HttpError) -> HttpResponse {
    let mut document = fault.extra();
    document.insert("type".into(), json!("about:blank"));
    document.insert("title".into(), json!(phrase(view.locale, fault, "title").to_string()));
    document.insert("status".into(), json!(fault.status().as_u16()));
    document.insert("detail".into(), json!(phrase(view.locale, fault, "detail").to_string()));
    document.insert("code".into(), json!(fault.code()));
    HttpResponse::build(fault.status())
        .content_type("application/problem+json")
        .body(Value::Object(document).to_string())
}

pub(crate) fn log(fault: &dyn HttpError) {
    if fault.status() == StatusCode::INTERNAL_SERVER_ERROR {
        let causes: Vec<String> = std::iter::successors(fault.source(), |cause| (*cause).source())
            .map(ToString::to_string)
            .collect();
        tracing::error!(error = %fault, ?causes, "a request failed");
    } else if fault.status().is_server_error() {
        tracing::warn!(error = %fault, "a request could not be answered");
    } else {
        tracing::debug!(code = fault.code(), "a request was refused");
    }
}
