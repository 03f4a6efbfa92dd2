//! Draw that a sale opens with: announced, taken back from a draft, and continued without its beacon.

use actix_web::{
    HttpResponse,
    web::{Data, Path},
};

use super::answer;
use crate::{
    accounts::{AdminAccount, ConfirmedAdmin},
    admin::{pages::ReasonForm, programs::pages::edition_of, queue},
    app::App,
    catalog::ProgramId,
    web::{error::PageError, form::Body, page::Empty},
};

/// `POST /admin/programs/{id}/queue/draw`
pub async fn create_draw(
    app: Data<App>,
    me: AdminAccount,
    id: Path<ProgramId>,
) -> Result<HttpResponse, PageError> {
    edition_of(&app, *id).await?;
    let outcome = queue::announce_draw(&app, me.account_id, *id).await;
    answer(&app, me.view, *id, outcome.map_err(PageError::from)).await
}

/// `POST /admin/programs/{id}/queue/draw/withdrawal`
pub async fn delete_draw(
    app: Data<App>,
    me: AdminAccount,
    id: Path<ProgramId>,
) -> Result<HttpResponse, PageError> {
    edition_of(&app, *id).await?;
    let outcome = queue::withdraw_draw(&app, me.account_id, *id).await;
    answer(&app, me.view, *id, outcome.map(|()| Empty {}).map_err(PageError::from)).await
}

/// `POST /admin/programs/{id}/queue/draw/beacon-omission`
pub async fn create_omission(
    app: Data<App>,
    ConfirmedAdmin(me): ConfirmedAdmin,
    id: Path<ProgramId>,
    Body(form): Body<ReasonForm>,
) -> Result<HttpResponse, PageError> {
    let outcome = async {
        let reason = form.parse()?;
        edition_of(&app, *id).await?;
        queue::omit_beacon(&app, me.account_id, *id, &reason).await?;
        Ok(Empty {})
    }
    .await;
    answer(&app, me.view, *id, outcome).await
}
