//! Pages of transfer requests: the form, and the page that answers one.

pub mod form;

use actix_web::{
    HttpResponse,
    http::StatusCode,
    web::{Data, Path},
};
use askama::Template;
use schemars::JsonSchema;
use serde::Serialize;

use self::form::TransferForm;
use super::{
    history::{StatusChange, history_of},
    list::pages::TRANSFERS_PATH,
    model::{ChangedBy, START_REFUSAL, Transfer, TransferAnswer, TransferId, TransferStatus},
    store,
};
use crate::{
    accounts::CurrentAccount,
    app::App,
    text::i18n::Phrase,
    wallet::{
        charges::{pages::form::WALLET_PATH, provider::Provider},
        error::WalletError,
        pages::{WalletForms, show},
        transfers,
    },
    web::{
        error::PageError,
        flash::with_message,
        form::{Body, FormRefusal, Mistakes},
        page::View,
    },
};

/// Handles `POST /wallet/transfers`.
pub async fn create_transfer(
    app: Data<App>,
    provider: Data<Provider>,
    me: CurrentAccount,
    Body(form): Body<TransferForm>,
) -> Result<HttpResponse, PageError> {
    let requested = async {
        let (order, key) = form.parse(me.account_id, me.view.locale)?;
        Ok(transfers::request(&app, &order, key.as_ref()).await?)
    }
    .await;
    let mut refusal = match me.view.or_refusal(requested)? {
        Ok(requested) => {
            let answer = me.view.done(StatusCode::CREATED, &requested, WALLET_PATH);
            let told = if requested.starts_at.is_some() { "flash-planned" } else { "flash-sent" };
            return Ok(with_message(answer, told));
        }
        Err(refusal) => refusal,
    };
    if let Some(WalletError::StartOutOfRange) = refusal.find() {
        refusal.mistakes = Mistakes::one("starts_at", START_REFUSAL);
    }
    let status = refusal.status();
    let mut forms = WalletForms::new(&app, &provider);
    form.to.text().clone_into(&mut forms.send.to);
    form.amount.text().clone_into(&mut forms.send.amount);
    form.starts_at.text().clone_into(&mut forms.send.starts_at);
    forms.send.refusal = refusal;
    show(&app, me, forms, status).await
}

#[derive(Template)]
#[template(path = "wallet/transfer.html")]
struct TransferPage {
    v: View,
    transfer: Transfer,
    history: Vec<StatusChange>,
    refusal: FormRefusal,
}

impl TransferPage {
    /// Returns the author of a change, as the account reads it.
    fn who(&self, change: &StatusChange) -> Phrase {
        let is_mine = |is_senders: bool| is_senders == self.transfer.is_sent();
        match change.by {
            ChangedBy::Clock => self.v.t("wallet-request-by-clock"),
            ChangedBy::Office => self.v.t("wallet-request-by-office"),
            by if is_mine(by == ChangedBy::Sender) => self.v.t("wallet-request-by-you"),
            _ => self.v.t("wallet-request-by").word("name", self.transfer.counterparty()),
        }
    }
}

/// Transfer that was made.
#[derive(Debug, Serialize, JsonSchema)]
pub struct TransferDocument<'a> {
    #[serde(flatten)]
    transfer: &'a Transfer,
    history: &'a [StatusChange],
}

/// Handles `GET /wallet/transfers/{id}`.
pub async fn show_transfer(
    app: Data<App>,
    me: CurrentAccount,
    id: Path<TransferId>,
) -> Result<HttpResponse, PageError> {
    let page = transfer_page(&app, me, *id, FormRefusal::default()).await?;
    let document = TransferDocument { transfer: &page.transfer, history: &page.history };
    Ok(page.v.show(&page, &document))
}

async fn transfer_page(
    app: &App,
    me: CurrentAccount,
    transfer_id: TransferId,
    refusal: FormRefusal,
) -> Result<TransferPage, PageError> {
    let transfer = store::find_transfer(&app.db, me.account_id, transfer_id).await?;
    let transfer = transfer.ok_or(WalletError::TransferNotFound)?;
    let written = store::list_history(&app.db, transfer_id).await?;
    let history = history_of(&transfer, &written);
    Ok(TransferPage { v: me.view, transfer, history, refusal })
}

/// Handles `POST /wallet/transfers/{id}/acceptance`.
pub async fn create_acceptance(
    app: Data<App>,
    me: CurrentAccount,
    id: Path<TransferId>,
) -> Result<HttpResponse, PageError> {
    answer(&app, me, *id, TransferAnswer::Accept).await
}

/// Handles `POST /wallet/transfers/{id}/rejection`.
pub async fn create_rejection(
    app: Data<App>,
    me: CurrentAccount,
    id: Path<TransferId>,
) -> Result<HttpResponse, PageError> {
    answer(&app, me, *id, TransferAnswer::Reject).await
}

/// Handles `POST /wallet/transfers/{id}/cancellation`.
pub async fn create_cancellation(
    app: Data<App>,
    me: CurrentAccount,
    id: Path<TransferId>,
) -> Result<HttpResponse, PageError> {
    answer(&app, me, *id, TransferAnswer::Cancel).await
}

/// Status of a transfer.
#[derive(Debug, Serialize, JsonSchema)]
pub struct TransferStatusDocument {
    status: TransferStatus,
}

/// Answers a request; a refusal is shown with the current state of the request.
async fn answer(
    app: &App,
    me: CurrentAccount,
    transfer_id: TransferId,
    answer: TransferAnswer,
) -> Result<HttpResponse, PageError> {
    let answered = transfers::answer(&app.db, me.account_id, transfer_id, answer).await;
    match me.view.or_refusal(answered.map_err(PageError::from))? {
        Ok(status) => {
            let location = format!("{WALLET_PATH}/transfers/{transfer_id}");
            Ok(me.view.done(StatusCode::OK, &TransferStatusDocument { status }, &location))
        }
        Err(refusal) => {
            let page = transfer_page(app, me, transfer_id, refusal).await?;
            Ok(page.v.html(page.refusal.status(), &page))
        }
    }
}
