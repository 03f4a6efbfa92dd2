//! Pages that pay and cancel a reservation. Refusals are shown on the reservation's page, which
//! contains the form.

use actix_web::{
    HttpResponse,
    http::StatusCode,
    web::{Data, Path},
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{batch::Payments, cancel::cancel};
use crate::{
    accounts::{
        AccountId, CurrentAccount,
        receipt_name::{self, ReceiptName},
    },
    app::App,
    catalog::{Programs, RefundTarget},
    infra::idempotency::RequestKey,
    points::Points,
    reservation::{ReservationId, ReservationStatus, reservation_page},
    tickets::pages::bought,
    wallet::Provider,
    web::{
        error::PageError,
        flash::with_message,
        form::{Body, Field, Mistakes},
        request_key,
    },
};

/// Form of a payment of a share or of the rest, which contains only a request key.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(default)]
pub struct KeyForm {
    /// UUID of the request. Repeated with the same body, it answers the first success again.
    request_key: Field,
}

impl KeyForm {
    /// Returns the request key for `route` and the reservation or share `id`.
    pub(super) fn parse(
        &self,
        account_id: AccountId,
        route: &str,
        id: &impl Serialize,
    ) -> Result<Option<RequestKey>, Mistakes> {
        let mut mistakes = Mistakes::default();
        let key = request_key::parse(&mut mistakes, &self.request_key);
        mistakes.or(Some(key.map(|key| RequestKey::new(account_id.0, key, route, id))))
    }
}

/// Form of a payment.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(default)]
pub struct PaymentForm {
    /// Name or company on the receipt, one line of up to 200 characters, kept for later payments too; empty: the one that is
    /// kept, or none if `buyer_was` has one.
    buyer: Field,
    /// Name that the form showed.
    buyer_was: Field,
    /// UUID of the request. Repeated with the same body, it answers the first success again.
    request_key: Field,
}

impl PaymentForm {
    /// Returns the name to keep and the request key; no name where the form has none and showed none.
    fn parse(
        &self,
        account_id: AccountId,
        id: ReservationId,
    ) -> Result<(Option<ReceiptName>, Option<RequestKey>), Mistakes> {
        let mut mistakes = Mistakes::default();
        let name = ReceiptName::parse(self.buyer.text());
        let name = mistakes.note("buyer", "sale-receipt-refusal-buyer", name);
        let is_said = !self.buyer.is_empty() || !self.buyer_was.is_empty();
        let key = request_key::parse(&mut mistakes, &self.request_key);
        let route = "POST /reservations/{id}/payment";
        let key = key.map(|key| RequestKey::new(account_id.0, key, route, &id));
        mistakes.or(name.map(|name| (is_said.then_some(name), key)))
    }
}

/// Form of a cancellation.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(default)]
pub struct GiveBackForm {
    /// Where the money of a paid order goes: `wallet`, which an empty field means too, or `card`.
    refunds: Field,
    /// UUID of the request. Repeated with the same body, it answers the first success again.
    request_key: Field,
}

impl GiveBackForm {
    fn parse(
        &self,
        account_id: AccountId,
        id: ReservationId,
    ) -> Result<(RefundTarget, Option<RequestKey>), Mistakes> {
        let mut mistakes = Mistakes::default();
        let target = match self.refunds.is_empty() {
            true => Some(RefundTarget::Wallet),
            false => self.refunds.parse(),
        };
        let target = mistakes.note("refunds", "refund-target-refusal", target);
        let key = request_key::parse(&mut mistakes, &self.request_key);
        let route = "POST /reservations/{id}/cancellation";
        let key_of = |key, target| match target {
            RefundTarget::Wallet => RequestKey::new(account_id.0, key, route, &id),
            RefundTarget::Card => RequestKey::new(account_id.0, key, route, &(id, target)),
        };
        mistakes.or(target.map(|target| (target, key.map(|key| key_of(key, target)))))
    }
}

/// Handles `POST /reservations/{id}/payment`.
pub async fn create_payment(
    app: Data<App>,
    programs: Data<Programs>,
    provider: Data<Provider>,
    payments: Data<Payments>,
    me: CurrentAccount,
    id: Path<ReservationId>,
    Body(form): Body<PaymentForm>,
) -> Result<HttpResponse, PageError> {
    let outcome = async {
        let (name, key) = form.parse(me.account_id, *id)?;
        // Before the payment, so that its receipt has the name.
        if let Some(name) = &name {
            receipt_name::keep(&app.db, me.account_id, name).await?;
        }
        Ok::<_, PageError>(payments.pay(me.account_id, *id, key.as_ref()).await?)
    }
    .await;
    match me.view.or_refusal(outcome)? {
        Ok(paid) => {
            let answer = me.view.done(StatusCode::CREATED, &paid, &bought::path_of(*id));
            Ok(with_message(answer, "flash-paid"))
        }
        Err(refusal) => {
            let refusal = refusal.with_reasons(&me.view);
            reservation_page(&app, &programs, &provider, &me, *id, refusal).await
        }
    }
}

/// Handles `POST /reservations/{id}/cancellation`.
pub async fn create_cancellation(
    app: Data<App>,
    programs: Data<Programs>,
    provider: Data<Provider>,
    me: CurrentAccount,
    id: Path<ReservationId>,
    Body(form): Body<GiveBackForm>,
) -> Result<HttpResponse, PageError> {
    let (target, key) = form.parse(me.account_id, *id)?;
    let cancelled = cancel(&app, me.account_id, *id, target, key.as_ref()).await;
    match me.view.or_refusal(cancelled.map_err(PageError::from))? {
        Ok(cancelled) => {
            let location = format!("/reservations/{id}");
            let answer = me.view.done(StatusCode::OK, &cancelled, &location);
            let text_key = match cancelled.status {
                ReservationStatus::Refunded if cancelled.to_cards > Points::ZERO => {
                    "flash-paid-out"
                }
                ReservationStatus::Refunded => "flash-refunded",
                _ => "flash-released",
            };
            Ok(with_message(answer, text_key))
        }
        Err(refusal) => reservation_page(&app, &programs, &provider, &me, *id, refusal).await,
    }
}
