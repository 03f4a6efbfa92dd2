//! Purge of a queue: ordered by a form, its progress shown on the queue's page.

use actix_web::{
    HttpResponse,
    http::StatusCode,
    web::{Data, Path},
};

use super::{admin_queue_path, refused};
use crate::{
    accounts::ConfirmedAdmin,
    admin::{pages::ReasonForm, programs::pages::edition_of, queue},
    app::App,
    catalog::ProgramId,
    web::{error::PageError, form::Body},
};

/// `POST /admin/programs/{id}/queue/purge`
pub async fn create_purge(
    app: Data<App>,
    ConfirmedAdmin(me): ConfirmedAdmin,
    id: Path<ProgramId>,
    Body(form): Body<ReasonForm>,
) -> Result<HttpResponse, PageError> {
    match me.view.or_refusal(form.parse().map_err(PageError::from))? {
        Ok(reason) => {
            edition_of(&app, *id).await?;
            let purge = queue::purge(&app, me.account_id, *id, &reason).await?;
            Ok(me.view.done(StatusCode::OK, &purge, &admin_queue_path(*id)))
        }
        Err(refusal) => refused(&app, me.view, *id, refusal).await,
    }
}
