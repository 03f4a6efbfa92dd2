//! Answer to addresses outside the URL table.

use actix_web::HttpResponse;

use crate::web::error::{NotFound, PageError};

/// Answers 404 to any path that `routes` does not list.
#[expect(clippy::unused_async, reason = "every handler is")]
pub async fn show_not_found() -> Result<HttpResponse, PageError> {
    Err(NotFound.into())
}
