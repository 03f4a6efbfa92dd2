//! Payout of the wallet's bought points.

pub mod form;

use actix_web::{HttpResponse, http::StatusCode, web::Data};

use self::form::PayoutForm;
use super::request;
use crate::{
    accounts::CurrentAccount,
    app::App,
    wallet::{
        WalletError,
        charges::{pages::form::WALLET_PATH, provider::Provider},
        pages::{WalletForms, show},
    },
    web::{error::PageError, flash::with_message, form::Body},
};

/// Handles `POST /wallet/payouts`.
pub async fn create_payout(
    app: Data<App>,
    provider: Data<Provider>,
    me: CurrentAccount,
    Body(form): Body<PayoutForm>,
) -> Result<HttpResponse, PageError> {
    let outcome = async {
        let (points_max, key) = form.parse(me.account_id)?;
        if !provider.takes_money() {
            return Err(WalletError::NothingToPayOut.into());
        }
        Ok(request(&app.db, me.account_id, points_max, key.as_ref()).await?)
    }
    .await;
    match me.view.or_refusal(outcome)? {
        Ok(paid) => {
            let answer = me.view.done(StatusCode::CREATED, &paid, WALLET_PATH);
            Ok(with_message(answer, "flash-paid-out"))
        }
        Err(refusal) => {
            let status = refusal.status();
            let mut forms = WalletForms::new(&app, &provider);
            let reason = refusal.of("points").map(|key| me.view.t(key).to_string());
            forms.payout_refusal = reason.or(refusal.text);
            show(&app, me, forms, status).await
        }
    }
}
