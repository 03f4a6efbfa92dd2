//! Poster of a program: uploaded, and removed.

use actix_web::{
    HttpResponse,
    web::{Data, Path},
};

use super::{VersionForm, answer};
use crate::{
    accounts::api_keys::{model::Actor, pages::ProgramsWriter},
    admin::{AdminError, pages::parse_version, programs},
    app::App,
    catalog::{Program, ProgramChange, ProgramId, posters::PosterFiles},
    web::{
        error::PageError,
        form::{Body, Mistakes, file::FileBody},
    },
};

/// Message after an edit.
const SAVED: &str = "flash-admin-saved";

/// `POST /admin/programs/{id}/poster`
pub async fn update_poster(
    app: Data<App>,
    me: ProgramsWriter,
    id: Path<ProgramId>,
    file: FileBody,
) -> Result<HttpResponse, PageError> {
    let FileBody { file, version } = file;
    let mut mistakes = Mistakes::default();
    let version = parse_version(&mut mistakes, &version);
    let version = mistakes.or(version)?;
    let outcome = match PosterFiles::read(file).await {
        Ok(poster) => change(&app, me.actor, *id, version, Some(poster)).await,
        Err(mistake) => Err(mistake.into()),
    };
    answer(&app, me.view, *id, outcome.map_err(PageError::from), (SAVED, None)).await
}

/// `POST /admin/programs/{id}/poster/removal`
pub async fn remove_poster(
    app: Data<App>,
    me: ProgramsWriter,
    id: Path<ProgramId>,
    form: Body<VersionForm>,
) -> Result<HttpResponse, PageError> {
    let version = form.0.parse()?;
    let outcome = change(&app, me.actor, *id, version, None).await;
    answer(&app, me.view, *id, outcome.map_err(PageError::from), (SAVED, None)).await
}

async fn change(
    app: &App,
    by: Actor,
    id: ProgramId,
    version: i64,
    poster: Option<PosterFiles>,
) -> Result<Program, AdminError> {
    programs::change(app, by, id, version, &ProgramChange::Poster(poster), None).await
}
