//! Charge form of the wallet page and of reservations that lack points.

use actix_web::{HttpResponse, http::StatusCode, web::Data};
use serde::Deserialize;
use serde_json::json;
use uuid::Uuid;

use super::provider::Provider;
use crate::{
    accounts::{AccountId, CurrentAccount},
    app::App,
    infra::idempotency::RequestKey,
    points::Points,
    wallet::{
        ledger::{self, Charging},
        model::{Charge, ChargeAmount},
        pages::{WALLET_PATH, WalletForms, show},
    },
    web::{
        error::PageError,
        flash::with_message,
        form::{Body, Field, Mistakes},
        local_path::LocalPath,
        page::{json as json_answer, see_other},
        request_key,
    },
};

/// Amounts offered as buttons.
const AMOUNTS: [i64; 4] = [10_000, 30_000, 50_000, 100_000];

/// Fields of a charge, as sent.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct ChargeForm {
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

    /// Returns the path to which the browser returns.
    fn next(&self) -> Option<LocalPath> {
        Some(self.next.text()).filter(|next| !next.is_empty()).map(LocalPath::or_start)
    }
}

/// Charge form, shown on the wallet and on a reservation that lacks points. Its template is
/// `wallet/charge_form.html`, included where a `charge` and a `v` are in scope.
#[derive(Clone, Debug)]
pub(crate) struct ChargeBox {
    /// Request key of the form, so that a double click charges once.
    pub request_key: Uuid,
    /// Missing amount, offered first; `None` if nothing specific is missing.
    pub missing: Option<Points>,
    /// Further amounts offered as buttons.
    pub amounts: Vec<Points>,
    /// Local path to which the browser returns; `None` for the wallet.
    pub next: Option<String>,
    /// Maximum number of points of one charge.
    pub amount_max: i64,
    /// Amount typed before.
    pub typed: String,
    /// Reason of the refusal.
    pub refusal: Option<String>,
    /// Locale key of the provider's name.
    pub provider_key: &'static str,
    /// Locale key of the note about the provider.
    pub note_key: &'static str,
}

impl ChargeBox {
    /// Creates an empty form that returns to the wallet.
    pub(crate) fn new(provider: &Provider) -> Self {
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

    /// Offers the missing amount first, and returns to `next`.
    #[must_use]
    pub(crate) fn missing(mut self, missing: Points, next: String) -> Self {
        let fits = ChargeAmount::new(missing.get()).is_some();
        self.missing = fits.then_some(missing);
        self.amounts.retain(|amount| *amount > missing);
        self.next = Some(next);
        self
    }

    fn refused(mut self, form: &ChargeForm, refusal: String) -> Self {
        form.amount.text().clone_into(&mut self.typed);
        self.next = form.next().map(|next| next.to_string());
        self.refusal = Some(refusal);
        self
    }
}

/// Handles `POST /wallet/charges`.
pub(crate) async fn create_charge(
    app: Data<App>,
    provider: Data<Provider>,
    me: CurrentAccount,
    Body(form): Body<ChargeForm>,
) -> Result<HttpResponse, PageError> {
    let outcome = match form.parse(me.account_id) {
        Ok((charge, key)) => ledger::charge(&app.db, &provider, &charge, key.as_ref()).await,
        Err(mistakes) => {
            let reason =
                mistakes.of("amount").map(|key| me.view.t(key).number("max", ChargeAmount::MAX));
            let reason = reason.map(|phrase| phrase.to_string());
            return refused_charge(&app, &provider, me, &form, mistakes.into(), reason).await;
        }
    };
    match outcome {
        Ok(Charging::Done(charged)) => {
            let next = form.next();
            let location = next.as_ref().map_or(WALLET_PATH, LocalPath::as_str);
            let answer = me.view.done(StatusCode::CREATED, &charged, location);
            Ok(with_message(answer, "flash-charged"))
        }
        Ok(Charging::Elsewhere { location }) if me.view.format.is_for_programs() => {
            Ok(json_answer(StatusCode::ACCEPTED, &json!({ "location": location })))
        }
        Ok(Charging::Elsewhere { location }) => Ok(see_other(&location)),
        Err(refusal) => refused_charge(&app, &provider, me, &form, refusal.into(), None).await,
    }
}

/// Renders the wallet page with the refusal and the form as typed.
async fn refused_charge(
    app: &App,
    provider: &Provider,
    me: CurrentAccount,
    form: &ChargeForm,
    error: PageError,
    reason: Option<String>,
) -> Result<HttpResponse, PageError> {
    if !me.view.wants_form(error.inner()) {
        return Err(error);
    }
    let refusal = reason.unwrap_or_else(|| me.view.refusal(error.inner()));
    let mut forms = WalletForms::new(app, provider);
    forms.charge = forms.charge.refused(form, refusal);
    show(app, me, forms, error.inner().status()).await
}
