//! Pages of transfer requests: the form, and the page that answers one.

pub(crate) mod form;

use actix_web::{
    HttpResponse,
    http::StatusCode,
    web::{Data, Path},
};
use askama::Template;
use schemars::JsonSchema;
use serde::Serialize;
use uuid::Uuid;

use self::form::TransferForm;
use super::{
    model::{Transfer, TransferAnswer, TransferId, TransferStatus},
    store,
};
use crate::{
    accounts::CurrentAccount,
    app::App,
    text::times::HOME_ZONE,
    wallet::{
        charges::{pages::form::WALLET_PATH, provider::Provider},
        error::WalletError,
        pages::{WalletForms, show},
        transfers,
    },
    web::{
        error::{HttpError, PageError},
        flash::with_message,
        form::Body,
        page::View,
    },
};

/// Handles `POST /wallet/transfers`.
pub(crate) async fn create_transfer(
    app: Data<App>,
    provider: Data<Provider>,
    me: CurrentAccount,
    Body(form): Body<TransferForm>,
) -> Result<HttpResponse, PageError> {
    let (error, reason) = match form.parse(me.account_id) {
        Ok((order, key)) => match transfers::request(&app, &order, key.as_ref()).await {
            Ok(requested) => {
                let answer = me.view.done(StatusCode::CREATED, &requested, WALLET_PATH);
                return Ok(with_message(answer, "flash-sent"));
            }
            Err(refusal) => (PageError::from(refusal), None),
        },
        Err(mistakes) => {
            let reason = mistakes.of("to").or_else(|| mistakes.of("amount"));
            (PageError::from(mistakes), reason)
        }
    };
    if !me.view.wants_form(error.inner()) {
        return Err(error);
    }
    let refusal = match reason {
        Some(text_key) => me.view.t(text_key).to_string(),
        None => me.view.refusal(error.inner()),
    };
    let mut forms = WalletForms::new(&app, &provider);
    form.to.text().clone_into(&mut forms.send.to);
    form.amount.text().clone_into(&mut forms.send.amount);
    forms.send.refusal = Some(refusal);
    show(&app, me, forms, error.inner().status()).await
}

#[derive(Template)]
#[template(path = "wallet/transfer.html")]
struct TransferPage {
    v: View,
    transfer: Transfer,
    /// Whether the account is the sender.
    is_sender: bool,
    refusal: Option<String>,
}

/// Handles `GET /wallet/transfers/{id}`.
pub(crate) async fn show_transfer(
    app: Data<App>,
    me: CurrentAccount,
    path: Path<Uuid>,
) -> Result<HttpResponse, PageError> {
    let page = transfer_page(&app, me, TransferId(path.into_inner()), None).await?;
    Ok(page.v.show(&page, &page.transfer))
}

async fn transfer_page(
    app: &App,
    me: CurrentAccount,
    transfer_id: TransferId,
    refusal: Option<String>,
) -> Result<TransferPage, PageError> {
    let transfer = store::find_transfer(&app.db, me.account_id, transfer_id).await?;
    let transfer = transfer.ok_or(WalletError::TransferNotFound)?;
    let is_sender = transfer.sender_id == me.account_id;
    Ok(TransferPage { v: me.view, transfer, is_sender, refusal })
}

/// Handles `POST /wallet/transfers/{id}/acceptance`.
pub(crate) async fn create_acceptance(
    app: Data<App>,
    me: CurrentAccount,
    path: Path<Uuid>,
) -> Result<HttpResponse, PageError> {
    answer(&app, me, TransferId(path.into_inner()), TransferAnswer::Accept).await
}

/// Handles `POST /wallet/transfers/{id}/rejection`.
pub(crate) async fn create_rejection(
    app: Data<App>,
    me: CurrentAccount,
    path: Path<Uuid>,
) -> Result<HttpResponse, PageError> {
    answer(&app, me, TransferId(path.into_inner()), TransferAnswer::Reject).await
}

/// Handles `POST /wallet/transfers/{id}/cancellation`.
pub(crate) async fn create_cancellation(
    app: Data<App>,
    me: CurrentAccount,
    path: Path<Uuid>,
) -> Result<HttpResponse, PageError> {
    answer(&app, me, TransferId(path.into_inner()), TransferAnswer::Cancel).await
}

/// Status of a transfer.
#[derive(Serialize, JsonSchema)]
pub(crate) struct TransferStatusDocument {
    status: TransferStatus,
}

/// Answers a request; a refusal is shown with the current state of the request.
async fn answer(
    app: &App,
    me: CurrentAccount,
    transfer_id: TransferId,
    answer: TransferAnswer,
) -> Result<HttpResponse, PageError> {
    match transfers::answer(&app.db, me.account_id, transfer_id, answer).await {
        Ok(status) => {
            let location = format!("{WALLET_PATH}/transfers/{transfer_id}");
            Ok(me.view.done(StatusCode::OK, &TransferStatusDocument { status }, &location))
        }
        Err(refusal) if me.view.wants_form(&refusal) => {
            let text = me.view.refusal(&refusal);
            let page = transfer_page(app, me, transfer_id, Some(text)).await?;
            Ok(page.v.html(refusal.status(), &page))
        }
        Err(refusal) => Err(refusal.into()),
    }
}
