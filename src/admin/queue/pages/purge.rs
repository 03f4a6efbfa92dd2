//! Purge of a queue: ordered by a form, its progress shown on the queue's page.

use actix_web::{
    HttpResponse,
    http::StatusCode,
    web::{Data, Path},
};

use super::{admin_queue_path, refuse};
use crate::{
    accounts::ConfirmedAdmin,
    admin::{pages::ReasonForm, programs::pages::edition_of, queue},
    app::App,
    catalog::ProgramId,
    web::{error::PageError, form::Body},
};

/// `POST /admin/programs/{id}/queue/purge`
pub(crate) async fn create_purge(
    app: Data<App>,
    ConfirmedAdmin(me): ConfirmedAdmin,
    id: Path<ProgramId>,
    form: Body<ReasonForm>,
) -> Result<HttpResponse, PageError> {
    let reason = match form.0.parse() {
        Ok(reason) => reason,
        Err(mistakes) => return refuse(&app, me.view, *id, &mistakes).await,
    };
    edition_of(&app, *id).await?;
    let purge = queue::purge(&app, me.account_id, *id, &reason).await?;
    Ok(me.view.done(StatusCode::OK, &purge, &admin_queue_path(*id)))
}
