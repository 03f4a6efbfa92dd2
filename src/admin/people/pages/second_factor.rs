//! Reset of the second factor of a person who lost it.

use actix_web::{
    HttpResponse,
    web::{Data, Path},
};

use super::{answer, refuse_typed};
use crate::{
    accounts::{AccountId, ConfirmedAdmin},
    admin::{pages::ReasonForm, people},
    app::App,
    web::{error::PageError, form::Body},
};

/// `POST /admin/people/{id}/second-factor/removal`
pub(crate) async fn delete_factor(
    app: Data<App>,
    ConfirmedAdmin(me): ConfirmedAdmin,
    id: Path<AccountId>,
    form: Body<ReasonForm>,
) -> Result<HttpResponse, PageError> {
    me.require_code()?;
    match form.0.parse() {
        Ok(reason) => {
            let reset = people::reset_second_factor(&app, me.account_id, *id, &reason).await;
            answer(&app, &me, *id, reset).await
        }
        Err(mistakes) => refuse_typed(&app, &me, *id, mistakes).await,
    }
}
