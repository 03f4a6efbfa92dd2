//! Change of the guards against hoarding.

use actix_web::{
    HttpResponse,
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
pub async fn update_guards(
    app: Data<App>,
    me: AdminAccount,
    id: Path<ProgramId>,
    Body(form): Body<GuardsForm>,
) -> Result<HttpResponse, PageError> {
    match me.view.or_refusal(form.parse().map_err(PageError::from))? {
        Ok((version, guards)) => {
            change(&app, me, *id, version, &ProgramChange::Guards(guards)).await
        }
        Err(refusal) => {
            let mut page = AdminQueuePage::of(&app, me.view, *id).await?;
            page.refusal = refusal.with_reasons(&page.v);
            page.guards = form;
            Ok(page.v.html(page.refusal.status(), &page))
        }
    }
}
