//! Order of points, from the wallet page or the page of a reservation that lacks them. A refusal is
//! shown on the page of the form.

use actix_web::{HttpResponse, http::StatusCode, web::Data};
use schemars::JsonSchema;
use serde::Serialize;
use uuid::Uuid;

use crate::{
    accounts::CurrentAccount,
    app::App,
    catalog::Programs,
    payment::shares::{self, ShareCode},
    reservation::{ReservationId, pages::refused_payment_page},
    wallet::{
        Charges, Provider, WalletError,
        charges::{
            model::{Charge, ChargeAmount, Charging},
            pages::form::{ChargeForm, WALLET_PATH},
            purchases::{self, store::find_ordered},
            require_held,
        },
        pages::{WalletForms, show},
    },
    web::{
        error::PageError,
        flash::with_message,
        form::{Body, FormRefusal},
        local_path::LocalPath,
        page::{json as json_answer, see_other},
    },
};

/// Where the points are paid.
#[derive(Debug, Serialize, JsonSchema)]
pub struct CheckoutDocument {
    location: String,
}

/// Handles `POST /wallet/charges`.
pub async fn create_charge(
    app: Data<App>,
    provider: Data<Provider>,
    charges: Data<Charges>,
    programs: Data<Programs>,
    me: CurrentAccount,
    Body(form): Body<ChargeForm>,
) -> Result<HttpResponse, PageError> {
    let outcome = async {
        let (charge, key) = form.parse(me.account_id)?;
        let share_id = share_to_pay(&app, &charge, &form).await?;
        require_held(&app.db, &charge, form.reservation_id()).await?;
        Ok(match &**provider {
            Provider::Demo => Charging::Done(charges.settle(&charge, key.as_ref()).await?),
            Provider::Stripe(stripe) => {
                purchases::begin(&app.db, stripe, &form.order(&charge, stripe.price, share_id))
                    .await?
            }
        })
    }
    .await;
    // An error that is none of the form leads to the page that the points were for, where the rest of its
    // time is shown.
    let outcome = me.view.or_refusal(outcome).map_err(|error| match form.next() {
        Some(next) => error.leading_to(next.to_string()),
        None => error,
    })?;
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
        Err(refusal) => refused(&app, &provider, &programs, me, &form, refusal).await,
    }
}

/// Returns the share that the points are to pay, if the form names one that can be paid. A request that charged
/// before passes, and is answered as then.
async fn share_to_pay(
    app: &App,
    charge: &Charge,
    form: &ChargeForm,
) -> Result<Option<Uuid>, PageError> {
    let Some(code) = form.share() else { return Ok(None) };
    let ordered = find_ordered(&app.db, charge.account_id, charge.charge_id).await?;
    match ordered {
        Some(purchase) => Ok(purchase.share_id),
        None => Ok(Some(shares::find_payable(app, charge.account_id, code).await?.0)),
    }
}

/// Answers a refusal with the form as typed: on the page of the share or the reservation that the points are for, as
/// long as that is held, or on the wallet page. Where the hold is over, the answer leads to its page.
async fn refused(
    app: &App,
    provider: &Provider,
    programs: &Programs,
    me: CurrentAccount,
    form: &ChargeForm,
    refusal: FormRefusal,
) -> Result<HttpResponse, PageError> {
    if let Some(code) = form.share().and_then(ShareCode::parse) {
        return shares::pages::link::refused((app, programs, provider), me, &code, refusal).await;
    }
    if let Some(WalletError::HoldOver { reservation_id }) = refusal.find() {
        let answer = see_other(&format!("/reservations/{reservation_id}"));
        return Ok(with_message(answer, "flash-not-charged"));
    }
    let status = refusal.status();
    let reason = refusal.of("amount").map(|key| me.view.t(key).number("max", ChargeAmount::MAX));
    let text = reason.map(|phrase| phrase.to_string()).or(refusal.text);
    if let Some(id) = form.reservation_id().map(ReservationId) {
        let refused = (form, text.clone(), status);
        let page = refused_payment_page(app, programs, provider, &me, id, refused).await?;
        if let Some(page) = page {
            return Ok(page);
        }
    }
    let mut forms = WalletForms::new(app, provider);
    forms.charge = forms.charge.refused(form, text);
    show(app, me, forms, status).await
}
