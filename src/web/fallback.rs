//! The answer to an address that nothing serves.

use actix_web::HttpResponse;

use super::error::{NotFound, PageError};

/// Any path that `routes` does not list.
pub async fn show_not_found() -> Result<HttpResponse, PageError> {
    Err(NotFound.into())
}
