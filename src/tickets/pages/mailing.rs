//! Tickets that their holder has mailed once more.

use actix_web::{
    HttpResponse,
    http::StatusCode,
    web::{Data, Path},
};

use super::own_ticket;
use crate::{
    accounts::CurrentAccount,
    app::App,
    tickets::mailing,
    web::{error::PageError, flash::with_message, page::Empty},
};

/// Handles `POST /tickets/{code}/mail`.
pub async fn create_mail(
    app: Data<App>,
    me: CurrentAccount,
    path: Path<String>,
) -> Result<HttpResponse, PageError> {
    let ticket = own_ticket(&app, &me, &path).await?;
    let mut tx = app.db.begin().await?;
    let holder = Some(me.account_id);
    mailing::mail_again(&mut tx, ticket.reservation_id, holder, app.now()).await?;
    tx.commit().await?;
    let next = format!("/tickets/{}", ticket.code);
    Ok(with_message(me.view.done(StatusCode::ACCEPTED, &Empty {}, &next), "flash-tickets-mailed"))
}
