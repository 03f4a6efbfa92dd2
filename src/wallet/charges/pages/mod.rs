//! Charges, from the wallet page or a reservation that lacks points.

pub(crate) mod form;

use actix_web::{HttpResponse, http::StatusCode, web::Data};
use schemars::JsonSchema;
use serde::Serialize;

use self::form::{ChargeForm, WALLET_PATH};
use super::{
    Charges,
    model::{ChargeAmount, Charging},
    provider::Provider,
    purchases, require_held,
};
use crate::{
    accounts::CurrentAccount,
    app::App,
    wallet::{
        error::WalletError,
        pages::{WalletForms, show},
    },
    web::{
        error::PageError,
        flash::with_message,
        form::Body,
        local_path::LocalPath,
        page::{json as json_answer, see_other},
    },
};

/// Where the points are paid.
#[derive(Serialize, JsonSchema)]
pub(crate) struct CheckoutDocument {
    location: String,
}

/// Handles `POST /wallet/charges`.
pub(crate) async fn create_charge(
    app: Data<App>,
    provider: Data<Provider>,
    charges: Data<Charges>,
    me: CurrentAccount,
    Body(form): Body<ChargeForm>,
) -> Result<HttpResponse, PageError> {
    let outcome = match form.parse(me.account_id) {
        Ok((charge, key)) => match require_held(&app.db, &charge, form.reservation_id()).await {
            Ok(()) => match &**provider {
                Provider::Demo => charges.settle(&charge, key.as_ref()).await.map(Charging::Done),
                Provider::Stripe(stripe) => {
                    purchases::begin(&app.db, stripe, &form.order(&charge, stripe.price)).await
                }
            },
            Err(refusal) => Err(refusal),
        },
        Err(mistakes) => {
            let reason =
                mistakes.of("amount").map(|key| me.view.t(key).number("max", ChargeAmount::MAX));
            let reason = reason.map(|phrase| phrase.to_string());
            return refused_charge(&app, &provider, me, &form, mistakes.into(), reason).await;
        }
    };
    match outcome {
        Ok(Charging::Done(result)) => {
            let next = form.next();
            let location = next.as_ref().map_or(WALLET_PATH, LocalPath::as_str);
            let answer = me.view.done(StatusCode::CREATED, &result, location);
            Ok(with_message(answer, "flash-charged"))
        }
        Ok(Charging::Elsewhere { location }) if me.view.format.is_for_programs() => {
            Ok(json_answer(StatusCode::ACCEPTED, &CheckoutDocument { location }))
        }
        Ok(Charging::Elsewhere { location }) => Ok(see_other(&location)),
        Err(WalletError::HoldOver { reservation_id }) if !me.view.format.is_for_programs() => {
            let answer = see_other(&format!("/reservations/{reservation_id}"));
            Ok(with_message(answer, "flash-not-charged"))
        }
        Err(refusal) => refused_charge(&app, &provider, me, &form, refusal.into(), None).await,
    }
}

/// Renders the wallet page with the refusal and the form as typed. An error that is none of the form
/// leads to the page that the points were for, where the rest of its time is shown.
async fn refused_charge(
    app: &App,
    provider: &Provider,
    me: CurrentAccount,
    form: &ChargeForm,
    error: PageError,
    reason: Option<String>,
) -> Result<HttpResponse, PageError> {
    if !me.view.wants_form(error.inner()) {
        return Err(match form.next() {
            Some(next) => error.leading_to(next.to_string()),
            None => error,
        });
    }
    let refusal = reason.unwrap_or_else(|| me.view.refusal(error.inner()));
    let mut forms = WalletForms::new(app, provider);
    forms.charge = forms.charge.refused(form, refusal);
    show(app, me, forms, error.inner().status()).await
}
