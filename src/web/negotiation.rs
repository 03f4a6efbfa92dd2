//! Content negotiation: a page, JSON or an event stream.

use actix_web::{
    HttpMessage, HttpRequest,
    http::header::{Accept, Header},
};

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
    /// Returns the format that `Accept` prefers; a page if it names none of them.
    pub fn of(request: &HttpRequest) -> Self {
        let accepted = Accept::parse(request).map(|accept| accept.ranked()).unwrap_or_default();
        let named = accepted.iter().find_map(|media_type| match media_type.essence_str() {
            "text/event-stream" => Some(Self::EventStream),
            "text/html" => Some(Self::Html),
            json if json.ends_with("json") => Some(Self::Json),
            _ => None,
        });
        named.unwrap_or(Self::Html)
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

#[cfg(test)]
mod tests {
    use actix_web::test::TestRequest;

    use super::*;

    #[test]
    fn the_format_that_weighs_most_is_given_and_a_page_where_none_is_named() {
        for (accept, format) in [
            ("text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8", Format::Html),
            ("application/json", Format::Json),
            ("application/problem+json, text/html;q=0.5", Format::Json),
            ("text/html;q=0.5, application/json", Format::Json),
            ("application/json;q=0.5, text/html", Format::Html),
            ("*/*, application/json", Format::Json),
            ("application/json, text/html", Format::Json),
            ("text/html, application/json", Format::Html),
            ("text/event-stream", Format::EventStream),
            ("image/png, */*", Format::Html),
            ("not a type", Format::Html),
            ("", Format::Html),
        ] {
            let request = TestRequest::default().insert_header(("accept", accept));
            assert_eq!(Format::of(&request.to_http_request()), format, "{accept}");
        }
        assert_eq!(Format::of(&TestRequest::default().to_http_request()), Format::Html);
    }
}
