//! Content negotiation: a page, JSON or an event stream.

use actix_web::{HttpMessage, HttpRequest, http::header::ACCEPT};

/// Format of an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// HTML page for people.
    Html,
    /// JSON document for programs.
    Json,
    /// Server-sent events.
    EventStream,
}

impl Format {
    /// Returns the format that `Accept` asks for; anything but JSON and event streams gets a page.
    pub fn of(request: &HttpRequest) -> Self {
        let accept = request.headers().get(ACCEPT).and_then(|value| value.to_str().ok());
        match accept {
            Some(accept) if accept.contains("text/event-stream") => Self::EventStream,
            Some(accept) if accept.contains("text/html") => Self::Html,
            Some(accept) if accept.contains("json") => Self::Json,
            _ => Self::Html,
        }
    }

    /// Whether errors are rendered as problem documents.
    pub fn is_for_programs(self) -> bool {
        self != Self::Html
    }
}

/// Whether the body of `request` is JSON.
pub(crate) fn sends_json(request: &HttpRequest) -> bool {
    let content_type = request.content_type();
    content_type == "application/json" || content_type.ends_with("+json")
}
