//! Pages of transfer requests: the form, and the page that answers one.

use actix_web::{
    HttpResponse,
    http::StatusCode,
    web::{Data, Path},
};
use askama::Template;
use serde::Deserialize;
use serde_json::json;
use uuid::Uuid;

use super::{
    model::{Transfer, TransferAnswer, TransferId, TransferOrder, TransferStatus},
    store,
};
use crate::{
    accounts::{AccountId, CurrentAccount, Email},
    app::App,
    infra::idempotency::RequestKey,
    points::Points,
    text::times::HOME_ZONE,
    wallet::{
        charges::provider::Provider,
        error::WalletError,
        pages::{WALLET_PATH, WalletForms, show},
        transfers,
    },
    web::{
        error::{HttpError, PageError},
        flash::with_message,
        form::{Body, Field, Mistakes},
        page::View,
        request_key,
    },
};

const SECS_PER_DAY: u32 = 86_400;

/// Fields of a transfer request, as sent.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct TransferForm {
    to: Field,
    amount: Field,
    request_key: Field,
}

impl TransferForm {
    fn parse(&self, sender_id: AccountId) -> Result<(TransferOrder, Option<RequestKey>), Mistakes> {
        let mut mistakes = Mistakes::default();
        let to = mistakes.note("to", "account-refusal-email", Email::parse(self.to.text()));
        let amount = self.amount.parse().and_then(Points::new);
        let amount = amount.filter(|amount| *amount > Points::ZERO);
        let amount = mistakes.note("amount", "wallet-refusal-send-amount", amount);
        let key = request_key::parse(&mut mistakes, &self.request_key);
        let order = to.zip(amount).map(|(to, amount)| {
            let key = key.map(|key| {
                let order = json!({ "to": to.as_str(), "amount": amount });
                RequestKey::new(sender_id.0, key, "POST /wallet/transfers", &order)
            });
            (TransferOrder { sender_id, to, amount }, key)
        });
        mistakes.or(order)
    }
}

/// Transfer form of the wallet page.
#[derive(Clone, Debug)]
pub(crate) struct SendBox {
    /// Request key of the form, so that a double click makes one request.
    pub request_key: Uuid,
    /// E-mail address typed before.
    pub to: String,
    /// Amount typed before.
    pub amount: String,
    /// Reason of the refusal.
    pub refusal: Option<String>,
    /// Days after which a request expires, rounded up.
    pub days: u32,
}

impl SendBox {
    pub(crate) fn new(app: &App) -> Self {
        Self {
            request_key: Uuid::now_v7(),
            to: String::new(),
            amount: String::new(),
            refusal: None,
            days: app.config.transfer_ttl_secs.get().div_ceil(SECS_PER_DAY),
        }
    }
}

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
            Ok(me.view.done(StatusCode::OK, &json!({ "status": status }), &location))
        }
        Err(refusal) if me.view.wants_form(&refusal) => {
            let text = me.view.refusal(&refusal);
            let page = transfer_page(app, me, transfer_id, Some(text)).await?;
            Ok(page.v.html(refusal.status(), &page))
        }
        Err(refusal) => Err(refusal.into()),
    }
}
