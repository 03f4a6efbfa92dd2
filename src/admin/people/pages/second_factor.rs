//! Reset of the second factor of a person who lost it.

use actix_web::{
    HttpResponse,
    web::{Data, Path},
};

use super::answer;
use crate::{
    accounts::{AccountId, ConfirmedAdmin},
    admin::{pages::ReasonForm, people},
    app::App,
    web::{error::PageError, form::Body},
};

/// `POST /admin/people/{id}/second-factor/removal`
pub async fn delete_factor(
    app: Data<App>,
    ConfirmedAdmin(me): ConfirmedAdmin,
    id: Path<AccountId>,
    Body(form): Body<ReasonForm>,
) -> Result<HttpResponse, PageError> {
    me.require_code()?;
    let reset =
        async { Ok(people::reset_second_factor(&app, me.account_id, *id, &form.parse()?).await?) }
            .await;
    answer(&app, &me, *id, reset).await
}
