//! Purge of a queue: ordered by a form, its progress shown on the queue's page.

use actix_web::{
    HttpResponse,
    http::StatusCode,
    web::{Data, Path},
};
use serde::Deserialize;
use uuid::Uuid;

use super::{admin_queue_path, refuse};
use crate::{
    accounts::ConfirmedAdmin,
    admin::{pages::parse_reason, programs::pages::edition_of, queue},
    app::App,
    catalog::ProgramId,
    web::{
        error::PageError,
        form::{Body, Field, Mistakes},
    },
};

/// Form that orders a purge.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct PurgeForm {
    reason: Field,
}

/// `POST /admin/programs/{id}/queue/purge`
pub(crate) async fn create_purge(
    app: Data<App>,
    ConfirmedAdmin(me): ConfirmedAdmin,
    path: Path<Uuid>,
    form: Body<PurgeForm>,
) -> Result<HttpResponse, PageError> {
    let id = ProgramId(path.into_inner());
    let mut mistakes = Mistakes::default();
    let parsed = parse_reason(&mut mistakes, &form.0.reason);
    let reason = match mistakes.or(parsed) {
        Ok(reason) => reason,
        Err(mistakes) => return refuse(&app, me.view, id, &mistakes).await,
    };
    edition_of(&app, id).await?;
    let purge = queue::purge(&app, me.account_id, id, &reason).await?;
    Ok(me.view.done(StatusCode::OK, &purge, &admin_queue_path(id)))
}
