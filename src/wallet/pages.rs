//! The wallet's page, and charging it.

use actix_web::{
    HttpResponse,
    http::StatusCode,
    web::{Data, Query},
};
use askama::Template;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use uuid::Uuid;

use super::{
    error::WalletError,
    model::{Charge, ChargeAmount, PointTransaction, Wallet},
    provider::Provider,
    service::{self, Charging},
    store,
};
use crate::{
    accounts::{AccountId, CurrentAccount},
    app::App,
    infra::idempotency::RequestKey,
    points::Points,
    web::{
        error::{Fault, PageError, database_fault},
        flash,
        form::{Body, Field, Mistakes},
        i18n::Phrase,
        page::{View, json as json_answer, local_path, see_other},
        pagination::{After, Page},
        request_key,
        times::HOME_ZONE,
    },
};

/// Where the wallet is shown.
pub const WALLET_PATH: &str = "/wallet";
/// What the form offers at one press.
const AMOUNTS: [i64; 4] = [10_000, 30_000, 50_000, 100_000];

impl Fault for WalletError {
    fn status(&self) -> StatusCode {
        match self {
            Self::InsufficientPoints { .. } => StatusCode::PAYMENT_REQUIRED,
            Self::TooManyPoints | Self::MovedBefore => StatusCode::UNPROCESSABLE_ENTITY,
            Self::Contended => StatusCode::CONFLICT,
            Self::NothingWithheld | Self::StaleVersion => StatusCode::INTERNAL_SERVER_ERROR,
            Self::Provider(_) => StatusCode::SERVICE_UNAVAILABLE,
            Self::Key(error) => error.status(),
            Self::Database(error) => database_fault(error).0,
        }
    }

    fn code(&self) -> &'static str {
        match self {
            Self::InsufficientPoints { .. } => "insufficient-points",
            Self::TooManyPoints => "wallet-full",
            // A key older than its record: only the history still knows it.
            Self::MovedBefore => "key-reused",
            Self::Contended => "contended",
            Self::NothingWithheld | Self::StaleVersion => "internal",
            Self::Provider(_) => "provider-away",
            Self::Key(error) => error.code(),
            Self::Database(error) => database_fault(error).1,
        }
    }

    fn extra(&self) -> Map<String, Value> {
        match self {
            Self::InsufficientPoints { balance, needed } => Map::from_iter([
                ("balance".to_owned(), json!(balance)),
                ("needed".to_owned(), json!(needed)),
            ]),
            _ => Map::new(),
        }
    }

    fn fill(&self, phrase: Phrase) -> Phrase {
        match self {
            Self::InsufficientPoints { balance, needed } => {
                phrase.word("balance", balance).word("needed", needed)
            }
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

    fn way_forward(&self) -> Option<String> {
        Some(WALLET_PATH.to_owned())
    }
}

/// A charge as it is sent.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct ChargeForm {
    amount: Field,
    request_key: Field,
    next: Field,
}

impl ChargeForm {
    fn parse(&self, account_id: AccountId) -> Result<(Charge, Option<RequestKey>), Mistakes> {
        let mut mistakes = Mistakes::default();
        let amount = self.amount.parse().and_then(ChargeAmount::new);
        let amount = mistakes.note("amount", "wallet-refusal-amount", amount);
        let key = request_key::parse(&mut mistakes, &self.request_key);
        let order = amount.map(|amount| {
            let charge_id = key.unwrap_or_else(Uuid::now_v7);
            let key =
                key.map(|key| RequestKey::new(account_id.0, key, "POST /wallet/charges", &amount));
            (Charge { charge_id, account_id, amount }, key)
        });
        mistakes.or(order)
    }

    /// Where the browser came from and goes back to.
    fn next(&self) -> Option<&str> {
        Some(self.next.text()).filter(|next| !next.is_empty()).map(local_path)
    }
}

/// The charge form, here and on a reservation that lacks points. Its template is
/// `wallet/charge_form.html`, included where a `charge` and a `v` are in scope.
#[derive(Clone, Debug)]
pub struct ChargeBox {
    /// Names the order, so that a double click charges once.
    pub request_key: Uuid,
    /// Exactly what is missing, offered first.
    pub missing: Option<Points>,
    /// What else is offered at one press.
    pub amounts: Vec<Points>,
    /// Where to come back to, a path of ours.
    pub next: Option<String>,
    /// The most that one charge buys.
    pub amount_max: i64,
    /// What was typed before.
    pub typed: String,
    /// Why it was refused.
    pub refusal: Option<String>,
    /// The locale key of the provider's name.
    pub provider_key: &'static str,
    /// The locale key of what to know of the provider.
    pub note_key: &'static str,
}

impl ChargeBox {
    /// An empty form that comes back to the wallet.
    pub fn new(provider: &Provider) -> Self {
        Self {
            request_key: Uuid::now_v7(),
            missing: None,
            amounts: AMOUNTS.into_iter().filter_map(Points::new).collect(),
            next: None,
            amount_max: ChargeAmount::MAX,
            typed: String::new(),
            refusal: None,
            provider_key: provider.0.name_key(),
            note_key: provider.0.note_key(),
        }
    }

    /// A form that offers what is missing and comes back to `next`.
    #[must_use]
    pub fn missing(mut self, missing: Points, next: String) -> Self {
        let fits = ChargeAmount::new(missing.get()).is_some();
        self.missing = fits.then_some(missing);
        self.amounts.retain(|amount| *amount > missing);
        self.next = Some(next);
        self
    }

    fn refused(mut self, form: &ChargeForm, refusal: String) -> Self {
        form.amount.text().clone_into(&mut self.typed);
        self.next = form.next().map(ToOwned::to_owned);
        self.refusal = Some(refusal);
        self
    }
}

#[derive(Template)]
#[template(path = "wallet/show.html")]
struct WalletPage {
    v: View,
    purse: Purse,
    charge: ChargeBox,
    history: Page<PointTransaction>,
    is_first_page: bool,
}

/// What the page's head says of a wallet.
#[derive(Clone, Copy, Debug, Serialize)]
struct Purse {
    balance: Points,
    pending: Points,
    usable: Points,
}

#[derive(Serialize)]
struct WalletDocument<'a> {
    #[serde(flatten)]
    purse: Purse,
    transactions: &'a [PointTransaction],
    next: Option<Uuid>,
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

async fn wallet_page(
    app: &App,
    me: CurrentAccount,
    charge: ChargeBox,
    after: Option<Uuid>,
) -> Result<WalletPage, PageError> {
    let wallet = store::find_wallet(&app.db, me.account_id).await?;
    // Up to the version just read: the balance is always that of the newest line.
    let rows = match &wallet {
        Some(wallet) => store::list_history(&app.db, wallet, after).await?,
        None => Vec::new(),
    };
    Ok(WalletPage {
        v: me.view,
        purse: Purse::of(wallet.as_ref()),
        charge,
        history: Page::cut(rows, |row| row.id),
        is_first_page: after.is_none(),
    })
}

/// `GET /wallet`
pub async fn show_wallet(
    app: Data<App>,
    provider: Data<Provider>,
    me: CurrentAccount,
    query: Query<After>,
) -> Result<HttpResponse, PageError> {
    let page = wallet_page(&app, me, ChargeBox::new(&provider), query.after).await?;
    let document = WalletDocument {
        purse: page.purse,
        transactions: &page.history.rows,
        next: page.history.next,
    };
    Ok(page.v.show(&page, &document))
}

/// `POST /wallet/charges`
pub async fn create_charge(
    app: Data<App>,
    provider: Data<Provider>,
    me: CurrentAccount,
    Body(form): Body<ChargeForm>,
) -> Result<HttpResponse, PageError> {
    let outcome = match form.parse(me.account_id) {
        Ok((charge, key)) => service::charge(&app.db, &provider, &charge, key.as_ref()).await,
        Err(mistakes) => {
            let reason =
                mistakes.of("amount").map(|key| me.view.t(key).number("max", ChargeAmount::MAX));
            let reason = reason.map(|phrase| phrase.to_string());
            return refused_charge(&app, &provider, me, &form, mistakes.into(), reason).await;
        }
    };
    match outcome {
        Ok(Charging::Done(charged)) => {
            let location = form.next().unwrap_or(WALLET_PATH);
            let mut answer = me.view.done(StatusCode::CREATED, &charged, location);
            if !me.view.format.is_for_programs() {
                let _ = answer.add_cookie(&flash::cookie("flash-charged"));
            }
            Ok(answer)
        }
        Ok(Charging::Elsewhere { location }) if me.view.format.is_for_programs() => {
            Ok(json_answer(StatusCode::ACCEPTED, &json!({ "location": location })))
        }
        Ok(Charging::Elsewhere { location }) => Ok(see_other(&location)),
        Err(refusal) => refused_charge(&app, &provider, me, &form, refusal.into(), None).await,
    }
}

/// A refusal is an answer: the wallet comes back with the form as it was typed.
async fn refused_charge(
    app: &App,
    provider: &Provider,
    me: CurrentAccount,
    form: &ChargeForm,
    error: PageError,
    reason: Option<String>,
) -> Result<HttpResponse, PageError> {
    if !me.view.wants_form(error.fault()) {
        return Err(error);
    }
    let refusal = reason.unwrap_or_else(|| me.view.refusal(error.fault()));
    let charge = ChargeBox::new(provider).refused(form, refusal);
    let page = wallet_page(app, me, charge, None).await?;
    Ok(page.v.html(error.fault().status(), &page))
}
