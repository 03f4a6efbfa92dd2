//! Draft as people would see it.

use actix_web::{
    HttpResponse,
    web::{Data, Path},
};
use schemars::JsonSchema;
use serde::Serialize;

use super::edition_of;
use crate::{
    accounts::AdminAccount,
    app::App,
    catalog::{Program, ProgramId, ProgramStatus, find_prepared},
    entry_queue,
    web::{
        error::{NotFound, PageError},
        page::{json, see_other},
    },
};

/// Show, as its preview was asked for.
#[derive(Debug, Serialize, JsonSchema)]
pub struct PreviewDocument {
    program: Program,
}

/// `GET /admin/programs/{id}/preview`: what is published is shown on its own page.
pub async fn show_preview(
    app: Data<App>,
    me: AdminAccount,
    id: Path<ProgramId>,
) -> Result<HttpResponse, PageError> {
    let edition = edition_of(&app, *id).await?;
    if me.view.format.is_for_programs() {
        return Ok(json(actix_web::http::StatusCode::OK, &PreviewDocument { program: edition }));
    }
    if edition.status != ProgramStatus::Draft {
        return Ok(see_other(&format!("/programs/{}", edition.details.slug)));
    }
    let (program, schedules) = find_prepared(&app, edition.id).await?.ok_or(NotFound)?;
    Ok(entry_queue::pages::preview(&app, &me.view, &program, &schedules))
}
