//! Buttons of the waiting page: asking for a mail when the turn is near, and taking that back.

use actix_web::{HttpResponse, http::StatusCode, web::Data};
use schemars::JsonSchema;
use serde::Serialize;

use super::{ask, withdraw};
use crate::{
    accounts::CurrentAccount,
    app::App,
    entry_queue::{error::QueueError, pages::program::AtProgram, paths::queue_path},
    web::error::{NotFound, PageError},
};

/// Mail that was asked for.
#[derive(Debug, Serialize, JsonSchema)]
pub struct NoticeDocument {
    /// Always true.
    pending: bool,
}

/// `POST /programs/{slug}/queue/notice`
pub async fn create_notice(
    app: Data<App>,
    AtProgram { program, me }: AtProgram<CurrentAccount>,
) -> Result<HttpResponse, PageError> {
    match ask(&app, me.account_id, &program).await {
        Ok(true) => (),
        Ok(false) => return Err(NotFound.into()),
        // The page of the queue shows an account that was admitted meanwhile its turn.
        Err(QueueError::NoToken { .. }) if !me.view.format.is_for_programs() => (),
        Err(error) => return Err(error.into()),
    }
    let location = queue_path(&program.slug);
    Ok(me.view.done(StatusCode::CREATED, &NoticeDocument { pending: true }, &location))
}

/// Mail that is not wanted any more.
#[derive(Debug, Serialize, JsonSchema)]
pub struct NoticeWithdrawalDocument {
    /// Whether there was one.
    withdrawn: bool,
}

/// `DELETE /programs/{slug}/queue/notice` and `POST /programs/{slug}/queue/notice/withdrawal`
pub async fn delete_notice(
    app: Data<App>,
    AtProgram { program, me }: AtProgram<CurrentAccount>,
) -> Result<HttpResponse, PageError> {
    let withdrawn = withdraw(&app, me.account_id, &program).await?;
    let document = NoticeWithdrawalDocument { withdrawn };
    let location = queue_path(&program.slug);
    Ok(me.view.done(StatusCode::OK, &document, &location))
}
