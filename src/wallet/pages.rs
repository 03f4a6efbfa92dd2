//! Wallet page: the points, open transfer requests and the history.

use actix_web::{
    HttpResponse,
    http::StatusCode,
    web::{Data, Query},
};
use askama::Template;
use serde::Serialize;
use serde_json::{Map, Value, json};
use strum::VariantArray;
use uuid::Uuid;

use super::{
    charges::provider::Provider,
    error::WalletError,
    model::{Kind, PointTransaction, Wallet},
    statement::{
        self as history, Month, StatementFilter,
        pages::{self, StatementQuery},
    },
    transfers::{
        model::{OPEN_REQUESTS_MAX, Transfer},
        store,
    },
};
pub use crate::wallet::{
    charges::pages::{ChargeBox, create_charge},
    statement::pages::show_statement,
    transfers::pages::{
        SendBox, create_acceptance, create_cancellation, create_rejection, create_transfer,
        show_transfer,
    },
};
use crate::{
    accounts::CurrentAccount,
    app::App,
    infra::postgres::page::Page,
    points::Points,
    text::{i18n::Phrase, times::HOME_ZONE},
    web::{
        error::{HttpError, PageError, database_error},
        page::View,
    },
};

/// Path of the wallet page.
pub const WALLET_PATH: &str = "/wallet";

impl HttpError for WalletError {
    fn status(&self) -> StatusCode {
        match self {
            Self::InsufficientPoints { .. } => StatusCode::PAYMENT_REQUIRED,
            Self::TooManyPoints | Self::MovedBefore | Self::SelfTransfer => {
                StatusCode::UNPROCESSABLE_ENTITY
            }
            Self::Contended | Self::TooManyRequests | Self::AlreadySettled(_) => {
                StatusCode::CONFLICT
            }
            Self::UnknownRecipient | Self::TransferNotFound => StatusCode::NOT_FOUND,
            Self::TransferExpired => StatusCode::GONE,
            Self::NothingWithheld | Self::StaleVersion => StatusCode::INTERNAL_SERVER_ERROR,
            Self::Provider(_) => StatusCode::SERVICE_UNAVAILABLE,
            Self::Key(error) => error.status(),
            Self::Database(error) => database_error(error).0,
        }
    }

    fn code(&self) -> &'static str {
        match self {
            Self::InsufficientPoints { .. } => "insufficient-points",
            Self::TooManyPoints => "wallet-full",
            // The record of a request key is deleted earlier than the history that refused the
            // reference.
            Self::MovedBefore => "key-reused",
            Self::Contended => "contended",
            Self::SelfTransfer => "self-transfer",
            Self::TooManyRequests => "transfer-limit",
            Self::AlreadySettled(_) => "already-settled",
            Self::UnknownRecipient => "unknown-recipient",
            Self::TransferNotFound => "not-found",
            Self::TransferExpired => "expired",
            Self::NothingWithheld | Self::StaleVersion => "internal",
            Self::Provider(_) => "provider-away",
            Self::Key(error) => error.code(),
            Self::Database(error) => database_error(error).1,
        }
    }

    fn extra(&self) -> Map<String, Value> {
        match self {
            Self::InsufficientPoints { balance, needed } => Map::from_iter([
                ("balance".to_owned(), json!(balance)),
                ("needed".to_owned(), json!(needed)),
            ]),
            Self::AlreadySettled(status) => {
                Map::from_iter([("transfer_status".to_owned(), json!(status))])
            }
            Self::TooManyRequests => {
                Map::from_iter([("limit".to_owned(), json!(OPEN_REQUESTS_MAX))])
            }
            _ => Map::new(),
        }
    }

    fn fill(&self, phrase: Phrase) -> Phrase {
        match self {
            Self::InsufficientPoints { balance, needed } => {
                phrase.word("balance", balance).word("needed", needed)
            }
            Self::TooManyRequests => phrase.number("limit", OPEN_REQUESTS_MAX),
            _ => phrase,
        }
    }

    fn retry_after_secs(&self) -> Option<u64> {
        match self {
            Self::Contended | Self::Provider(_) => Some(1),
            Self::Key(error) => error.retry_after_secs(),
            _ => None,
        }
    }

    fn recovery_href(&self) -> Option<String> {
        Some(WALLET_PATH.to_owned())
    }
}

/// Charge and transfer forms of the page.
#[derive(Debug)]
pub(crate) struct WalletForms {
    pub(crate) charge: ChargeBox,
    pub(crate) send: SendBox,
}

impl WalletForms {
    /// Creates both forms, empty.
    pub(crate) fn new(app: &App, provider: &Provider) -> Self {
        Self { charge: ChargeBox::new(provider), send: SendBox::new(app) }
    }
}

#[derive(Template)]
#[template(path = "wallet/show.html")]
struct WalletPage {
    v: View,
    purse: Purse,
    charge: ChargeBox,
    send: SendBox,
    /// Requests that wait for this account's answer.
    incoming: Vec<Transfer>,
    /// Requests of this account that wait for another account's answer.
    outgoing: Vec<Transfer>,
    history: Page<PointTransaction>,
    filter: StatementFilter,
    months: Vec<MonthChoice>,
    is_first_page: bool,
}

impl WalletPage {
    /// Returns the address of the lines after the line `after`.
    fn older_href(&self, after: &Uuid) -> String {
        pages::href(WALLET_PATH, self.filter, Some(*after))
    }

    /// Returns the address of the newest lines.
    fn newest_href(&self) -> String {
        pages::href(WALLET_PATH, self.filter, None)
    }

    /// Returns the address of the download of the same lines.
    fn download_href(&self) -> String {
        pages::href(pages::STATEMENT_PATH, self.filter, None)
    }
}

/// Month of the filter.
struct MonthChoice {
    name: String,
    text: Phrase,
    is_chosen: bool,
}

impl MonthChoice {
    fn new(v: &View, month: Month, chosen: Option<Month>) -> Self {
        let name = v.text(month.text_key());
        Self {
            name: month.name(),
            text: v.t("date-month-year").word("month", name).word("year", month.year()),
            is_chosen: chosen == Some(month),
        }
    }
}

/// Points shown at the top of the page.
#[derive(Clone, Copy, Debug, Serialize)]
struct Purse {
    balance: Points,
    pending: Points,
    usable: Points,
}

impl Purse {
    fn of(wallet: Option<&Wallet>) -> Self {
        wallet.map_or(
            Self { balance: Points::ZERO, pending: Points::ZERO, usable: Points::ZERO },
            |wallet| Self {
                balance: wallet.balance,
                pending: wallet.pending,
                usable: wallet.usable(),
            },
        )
    }
}

#[derive(Serialize)]
struct WalletDocument<'a> {
    #[serde(flatten)]
    purse: Purse,
    transactions: &'a [PointTransaction],
    next: Option<Uuid>,
    incoming: &'a [Transfer],
    outgoing: &'a [Transfer],
}

impl WalletPage {
    fn document(&self) -> WalletDocument<'_> {
        WalletDocument {
            purse: self.purse,
            transactions: &self.history.rows,
            next: self.history.next,
            incoming: &self.incoming,
            outgoing: &self.outgoing,
        }
    }
}

async fn wallet_page(
    app: &App,
    me: CurrentAccount,
    forms: WalletForms,
    filter: StatementFilter,
    after: Option<Uuid>,
) -> Result<WalletPage, PageError> {
    let wallet = store::find_shown_wallet(&app.db, me.account_id).await?;
    let open = store::list_open(&app.db, me.account_id, OPEN_REQUESTS_MAX).await?;
    let (outgoing, incoming) =
        open.into_iter().partition(|transfer| transfer.sender_id == me.account_id);
    let (rows, months) = match &wallet {
        Some(wallet) => (
            history::list_page(&app.db, wallet, filter, after).await?,
            history::list_months(&app.db, wallet, app.now()).await?,
        ),
        None => (Vec::new(), Vec::new()),
    };
    let choice = |month| MonthChoice::new(&me.view, month, filter.month);
    let months = months.into_iter().map(choice).collect();
    Ok(WalletPage {
        v: me.view,
        purse: Purse::of(wallet.as_ref()),
        charge: forms.charge,
        send: forms.send,
        incoming,
        outgoing,
        history: Page::cut(rows, |row| row.id),
        filter,
        months,
        is_first_page: after.is_none(),
    })
}

/// Renders the newest page with `forms`, which may contain refusals.
pub(crate) async fn show(
    app: &App,
    me: CurrentAccount,
    forms: WalletForms,
    status: StatusCode,
) -> Result<HttpResponse, PageError> {
    let page = wallet_page(app, me, forms, StatementFilter::default(), None).await?;
    Ok(page.v.html(status, &page))
}

/// Handles `GET /wallet`.
pub async fn show_wallet(
    app: Data<App>,
    provider: Data<Provider>,
    me: CurrentAccount,
    query: Query<StatementQuery>,
) -> Result<HttpResponse, PageError> {
    let (filter, after) = query.parse()?;
    let forms = WalletForms::new(&app, &provider);
    let page = wallet_page(&app, me, forms, filter, after).await?;
    Ok(page.v.show(&page, &page.document()))
}
