//! Copies of programs.

use actix_web::{
    HttpResponse,
    http::StatusCode,
    web::{Data, Path},
};
use schemars::JsonSchema;
use serde::Deserialize;

use super::{edition_of, program_path};
use crate::{
    accounts::AdminAccount,
    admin::programs,
    app::App,
    catalog::ProgramId,
    web::{
        error::PageError,
        flash::with_message,
        form::{Body, Field, Mistakes},
    },
};

/// Form of a copy.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default)]
pub struct ProgramCopyForm {
    /// Checkbox.
    with_performances: Field,
}

/// `POST /admin/programs/{id}/copies`
pub async fn create_copy(
    app: Data<App>,
    me: AdminAccount,
    id: Path<ProgramId>,
    form: Body<ProgramCopyForm>,
) -> Result<HttpResponse, PageError> {
    let edition = edition_of(&app, *id).await?;
    let mut mistakes = Mistakes::default();
    let flag = form.0.with_performances.flag();
    let with_schedules = mistakes.note("with_performances", "admin-refusal-flag", flag);
    let with_schedules = mistakes.or(with_schedules)?;
    let made = programs::copy(&app, me.account_id, &edition, with_schedules).await?;
    let next = program_path(made.id);
    Ok(with_message(me.view.done(StatusCode::CREATED, &made, &next), "flash-admin-copied"))
}
