//! Requests that cannot be read, as the framework logs them.

use crate::telemetry::UnwantedLines;

/// Lines of the framework about requests that cannot be read: each would be a line of the log without its
/// client.
pub const UNREADABLE: UnwantedLines =
    UnwantedLines { target: "actix_http::h1::dispatcher", beginning: "stream error" };
