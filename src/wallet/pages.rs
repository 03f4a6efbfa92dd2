//! Wallet page: the points, open transfer requests and the history.

use actix_web::{
    HttpResponse,
    http::StatusCode,
    web::{Data, Query},
};
use askama::Template;
use schemars::JsonSchema;
use serde::Serialize;
use tokio::try_join;
use uuid::Uuid;

use super::{
    charges::{
        pages::form::{ChargeBox, WALLET_PATH},
        payouts::{model::ShownPayout, pages::form::PayoutBox, plan::PlannedPart},
        provider::Provider,
    },
    model::{Kind, PointTransaction, Wallet},
    statement::{
        self as history, Month, StatementFilter,
        pages::{self, StatementQuery},
    },
    transfers::{
        list::pages::TRANSFERS_PATH,
        model::{OPEN_REQUESTS_MAX, PLAN_DAYS_MAX, Transfer, TransferStatus},
        pages::form::SendBox,
        store,
    },
};
use crate::{
    accounts::{AccountId, Arriving, CurrentAccount},
    app::App,
    infra::postgres::page::Page,
    points::Points,
    text::i18n::Phrase,
    web::{error::PageError, page::View},
};

/// Forms of the page.
#[derive(Debug)]
pub struct WalletForms {
    pub charge: ChargeBox,
    pub send: SendBox,
    /// Reason why nothing was paid out.
    pub payout_refusal: Option<String>,
    /// Whether points cost money, so that some can be paid out.
    takes_money: bool,
}

impl WalletForms {
    /// Creates the forms, empty.
    pub fn new(app: &App, provider: &Provider) -> Self {
        Self {
            charge: ChargeBox::new(provider),
            send: SendBox::new(app),
            payout_refusal: None,
            takes_money: provider.takes_money(),
        }
    }
}

#[derive(Template)]
#[template(path = "wallet/show.html")]
struct WalletPage {
    v: View,
    purse: ShownPoints,
    charge: ChargeBox,
    send: SendBox,
    payout: PayoutBox,
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
#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
struct ShownPoints {
    balance: Points,
    pending: Points,
    /// Points owed because the money for them was returned.
    debt: Points,
    usable: Points,
}

impl ShownPoints {
    fn of(wallet: Option<&Wallet>) -> Self {
        wallet.map_or(
            Self {
                balance: Points::ZERO,
                pending: Points::ZERO,
                debt: Points::ZERO,
                usable: Points::ZERO,
            },
            |wallet| Self {
                balance: wallet.balance,
                pending: wallet.pending,
                debt: wallet.debt,
                usable: wallet.usable(),
            },
        )
    }
}

/// Wallet of an account, with the newest changes.
#[derive(Debug, Serialize, JsonSchema)]
pub struct WalletDocument<'a> {
    #[serde(flatten)]
    purse: ShownPoints,
    transactions: &'a [PointTransaction],
    next: Option<Uuid>,
    incoming: &'a [Transfer],
    outgoing: &'a [Transfer],
    /// What can be paid out to the cards that paid it.
    payable: &'a [PlannedPart],
    /// Money on its way to the cards, and what became of it, the newest first.
    payouts: &'a [ShownPayout],
}

impl WalletPage {
    fn document(&self) -> WalletDocument<'_> {
        WalletDocument {
            purse: self.purse,
            transactions: &self.history.rows,
            next: self.history.next,
            incoming: &self.incoming,
            outgoing: &self.outgoing,
            payable: &self.payout.parts,
            payouts: &self.payout.payouts,
        }
    }
}

/// Wallet of an account, if it was ever opened, and its open requests.
type Purse = (Option<Wallet>, Vec<Transfer>);

async fn read_purse(app: &App, account_id: AccountId) -> Result<Purse, sqlx::Error> {
    try_join!(
        store::find_shown_wallet(&app.db, account_id),
        store::list_open(&app.db, account_id, OPEN_REQUESTS_MAX),
    )
}

async fn wallet_page(
    app: &App,
    me: CurrentAccount,
    (wallet, open): Purse,
    forms: WalletForms,
    (filter, after): (StatementFilter, Option<Uuid>),
) -> Result<WalletPage, PageError> {
    let (outgoing, incoming) = open.into_iter().partition(Transfer::is_sent);
    let listed = async {
        match &wallet {
            Some(wallet) => try_join!(
                history::list_page(&app.db, wallet, filter, after),
                history::list_months(&app.db, wallet, app.now()),
            ),
            None => Ok((Vec::new(), Vec::new())),
        }
    };
    let payout = async {
        match forms.takes_money {
            true => PayoutBox::of(app, me.account_id, forms.payout_refusal).await,
            false => Ok(PayoutBox::empty(forms.payout_refusal)),
        }
    };
    let ((rows, months), payout) = try_join!(listed, payout)?;
    let choice = |month| MonthChoice::new(&me.view, month, filter.month);
    let months = months.into_iter().map(choice).collect();
    Ok(WalletPage {
        v: me.view,
        purse: ShownPoints::of(wallet.as_ref()),
        charge: forms.charge,
        send: forms.send,
        payout,
        incoming,
        outgoing,
        history: Page::cut(rows, |row| row.id),
        filter,
        months,
        is_first_page: after.is_none(),
    })
}

/// Renders the newest page with `forms`, which may contain refusals.
pub async fn show(
    app: &App,
    me: CurrentAccount,
    forms: WalletForms,
    status: StatusCode,
) -> Result<HttpResponse, PageError> {
    let purse = read_purse(app, me.account_id).await?;
    let page = wallet_page(app, me, purse, forms, Default::default()).await?;
    Ok(page.v.html(status, &page))
}

/// Handles `GET /wallet`.
pub async fn show_wallet(
    app: Data<App>,
    provider: Data<Provider>,
    me: Arriving<CurrentAccount>,
    query: Query<StatementQuery>,
) -> Result<HttpResponse, PageError> {
    let (me, purse) = me.with(async |account_id| read_purse(&app, account_id).await).await?;
    let lines = query.parse()?;
    let forms = WalletForms::new(&app, &provider);
    let page = wallet_page(&app, me, purse, forms, lines).await?;
    Ok(page.v.show(&page, &page.document()))
}
