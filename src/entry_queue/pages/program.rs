//! Lookup of the program that a page of the queue is about.

use std::sync::Arc;

use crate::{
    app::App,
    catalog::{Program, Programs},
    web::error::{NotFound, PageError},
};

/// Returns the program with `slug`, or the refusal that there is none.
pub(crate) async fn find(
    app: &App,
    programs: &Programs,
    slug: &str,
) -> Result<Arc<Program>, PageError> {
    Ok(programs.find(app, slug).await?.ok_or(NotFound)?)
}
