//! Pages of returns, as parts of a ticket's page: making a return and taking it back.

pub mod form;

use actix_web::{
    HttpResponse,
    http::StatusCode,
    web::{Data, Path},
};
use chrono::{DateTime, Utc};
use schemars::JsonSchema;
use serde::Serialize;

use self::form::ReturnForm;
use super::{store, take_back};
use crate::{
    accounts::CurrentAccount,
    app::App,
    reservation::{ReturnId, returns::model::ReturnStatus},
    tickets::{
        model::TicketCode,
        pages::{TicketPage, own_ticket},
        returns,
    },
    web::{
        error::{NotFound, PageError},
        flash::with_message,
        form::{Body, FormRefusal},
        page::see_other,
    },
};

/// Handles `POST /tickets/{code}/returns`.
pub async fn create_return(
    app: Data<App>,
    me: CurrentAccount,
    path: Path<String>,
    Body(form): Body<ReturnForm>,
) -> Result<HttpResponse, PageError> {
    let code: TicketCode = path.parse().ok().ok_or(NotFound)?;
    let (order, key) = form.parse(me.account_id, code.clone())?;
    let made = returns::make(&app, &order, key.as_ref()).await;
    match me.view.or_refusal(made.map_err(PageError::from))? {
        Ok(made) => {
            let answer = me.view.done(StatusCode::CREATED, &made, &format!("/tickets/{code}"));
            Ok(with_message(answer, "flash-ticket-returned"))
        }
        Err(refusal) => refused(&app, me, &code, refusal).await,
    }
}

/// Handles `GET /returns/{id}`: redirects to the ticket.
pub async fn show_return(
    app: Data<App>,
    me: CurrentAccount,
    id: Path<ReturnId>,
) -> Result<HttpResponse, PageError> {
    let code = store::find_code(&app.db, me.account_id, *id).await?.ok_or(NotFound)?;
    Ok(see_other(&format!("/tickets/{code}")))
}

/// Return that was taken back, or that ends with the hold of its place.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ReturnTakenBackDocument {
    return_id: ReturnId,
    /// `TAKEN_BACK`, or `OPEN` while a hold of the place runs.
    status: ReturnStatus,
    /// When that hold ends. The return ends with it, unless the buyer pays before.
    #[serde(skip_serializing_if = "Option::is_none")]
    held_until: Option<DateTime<Utc>>,
}

/// Handles `POST /returns/{id}/cancellation`.
pub async fn create_cancellation(
    app: Data<App>,
    me: CurrentAccount,
    id: Path<ReturnId>,
) -> Result<HttpResponse, PageError> {
    let code = store::find_code(&app.db, me.account_id, *id).await?.ok_or(NotFound)?;
    let taken_back = take_back(&app, me.account_id, *id).await;
    match me.view.or_refusal(taken_back.map_err(PageError::from))? {
        Ok(held_until) => {
            let (http, status, message) = match held_until {
                None => (StatusCode::OK, ReturnStatus::TakenBack, "flash-return-taken-back"),
                Some(_) => (StatusCode::ACCEPTED, ReturnStatus::Open, "flash-return-wanted-back"),
            };
            let document = ReturnTakenBackDocument { return_id: *id, status, held_until };
            let answer = me.view.done(http, &document, &format!("/tickets/{code}"));
            Ok(with_message(answer, message))
        }
        Err(refusal) => refused(&app, me, &code, refusal).await,
    }
}

/// Shows a refusal on the page of the ticket.
async fn refused(
    app: &App,
    me: CurrentAccount,
    code: &TicketCode,
    refusal: FormRefusal,
) -> Result<HttpResponse, PageError> {
    let ticket = own_ticket(app, &me, code.as_str()).await?;
    let (status, text) = (refusal.status(), refusal.text.unwrap_or_default());
    let page = TicketPage::of_return(app, me.view, ticket, text).await?;
    Ok(page.v.html(status, &page))
}
