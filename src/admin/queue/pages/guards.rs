//! Change of the guards against hoarding.

use actix_web::{
    HttpResponse,
    http::StatusCode,
    web::{Data, Path},
};

use super::{AdminQueuePage, change, guards_form::GuardsForm};
use crate::{
    accounts::AdminAccount,
    app::App,
    catalog::{ProgramChange, ProgramId},
    web::{error::PageError, form::Body},
};

/// `POST /admin/programs/{id}/queue/guards`
pub(crate) async fn update_guards(
    app: Data<App>,
    me: AdminAccount,
    id: Path<ProgramId>,
    form: Body<GuardsForm>,
) -> Result<HttpResponse, PageError> {
    let (version, guards) = match form.0.parse() {
        Ok(parsed) => parsed,
        Err(mistakes) if me.view.wants_form(&mistakes) => {
            let mut page = AdminQueuePage::of(&app, me.view, *id).await?;
            page.refusal = Some(page.v.reasons(&mistakes));
            page.guards = form.0;
            page.mistakes = mistakes;
            return Ok(page.v.html(StatusCode::UNPROCESSABLE_ENTITY, &page));
        }
        Err(mistakes) => return Err(mistakes.into()),
    };
    change(&app, me, *id, version, &ProgramChange::Guards(guards)).await
}
