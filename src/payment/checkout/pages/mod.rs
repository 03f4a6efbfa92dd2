//! Page of one purchase, to which the buyer returns from the payment provider.

pub mod order;
pub mod webhook;

use actix_web::{
    HttpResponse,
    web::{Data, Path},
};
use askama::Template;
use chrono::{DateTime, Utc};
use schemars::JsonSchema;
use serde::Serialize;

use crate::{
    accounts::CurrentAccount,
    app::App,
    catalog::ScheduleId,
    payment::{
        checkout::Checkouts,
        shares::{
            self, ShareCode,
            model::{ShareId, ShareStatus},
        },
    },
    points::Points,
    reservation::{self, ReservationId, ReservationStatus},
    tickets::pages::bought,
    wallet::charges::purchases::{
        model::{BoughtFor, CheckoutVerdict, Purchase, PurchaseId, PurchaseStatus},
        store,
    },
    web::{
        error::{NotFound, PageError},
        flash::with_message,
        page::{View, see_other},
    },
};

/// Period after which the page reloads while the payment is checked, in seconds.
const REFRESH_SECS: u32 = 5;

/// State of a purchase, as the page shows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ChargeState {
    /// The points are in the wallet.
    Credited,
    /// The money was returned or is disputed.
    Returned,
    /// Not paid yet: the provider's page is still open.
    Unpaid,
    /// Being processed, or unknown: the points are credited later without further action.
    Checking,
    /// Ended unpaid.
    Ended,
}

impl ChargeState {
    fn of(status: PurchaseStatus, verdict: Option<&CheckoutVerdict>) -> Self {
        match (status, verdict) {
            (PurchaseStatus::Settled | PurchaseStatus::Reinstated, _) => Self::Credited,
            (PurchaseStatus::Refunded | PurchaseStatus::Disputed, _) => Self::Returned,
            (PurchaseStatus::Expired | PurchaseStatus::Failed, _) => Self::Ended,
            (PurchaseStatus::Open, Some(CheckoutVerdict::Unpaid)) => Self::Unpaid,
            (PurchaseStatus::Open, _) => Self::Checking,
        }
    }
}

/// State of what the points were bought for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum BoughtOutcome {
    /// The reservation is paid.
    Paid(ReservationId),
    /// The account has paid the share.
    SharePaid,
    /// Still held and not paid.
    Held,
    /// Cannot be paid any more, so that the points stay in the wallet; with the performance of a reservation.
    Gone(Option<ScheduleId>),
}

#[derive(Template)]
#[template(path = "payment/charge.html")]
struct ChargePage {
    v: View,
    purchase: Purchase,
    state: ChargeState,
    /// `None` where the points were bought for the wallet.
    bought: Option<BoughtOutcome>,
    /// Page to which the account goes on.
    next: String,
}

impl ChargePage {
    fn price(&self) -> String {
        self.purchase.price().map(|price| price.to_string()).unwrap_or_default()
    }

    fn refresh_secs(&self) -> u32 {
        REFRESH_SECS
    }
}

/// Purchase of points.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ChargeDocument {
    charge_id: PurchaseId,
    status: PurchaseStatus,
    points: Points,
    /// Price in the smallest unit of the currency.
    amount_minor: i64,
    currency: String,
    /// Page of the provider where it is paid; null until the provider has answered.
    checkout_url: Option<String>,
    created_at: DateTime<Utc>,
    expires_at: DateTime<Utc>,
}

impl ChargeDocument {
    fn of(purchase: &Purchase) -> Self {
        Self {
            charge_id: purchase.id,
            status: purchase.status,
            points: purchase.points,
            amount_minor: purchase.amount_minor,
            currency: purchase.currency.clone(),
            checkout_url: purchase.checkout_url.clone(),
            created_at: purchase.created_at,
            expires_at: purchase.expires_at,
        }
    }
}

/// Handles `GET /wallet/charges/{id}`. A cookie with `SameSite=Lax` is sent with the navigation
/// from the provider's page. A person whose seats are paid is led on to the tickets.
pub async fn show_charge(
    app: Data<App>,
    checkouts: Data<Checkouts>,
    me: CurrentAccount,
    id: Path<PurchaseId>,
) -> Result<HttpResponse, PageError> {
    let find = || async {
        let found = store::find_purchase(&app.db, *id).await?;
        let owned = found.filter(|purchase| purchase.account_id == me.account_id);
        Ok::<_, PageError>(owned.ok_or(NotFound)?)
    };
    let mut purchase = find().await?;
    let mut verdict = None;
    if purchase.status.is_unsettled() {
        verdict = checkouts.check_for_page(&purchase).await;
        purchase = find().await?;
    }
    let state = ChargeState::of(purchase.status, verdict.as_ref());
    let document = ChargeDocument::of(&purchase);
    let bought = outcome_of(&app, &purchase).await?;
    if let (ChargeState::Credited, Some(BoughtOutcome::Paid(id))) = (state, bought)
        && !me.view.format.is_for_programs()
    {
        return Ok(with_message(see_other(&bought::path_of(id)), "flash-paid"));
    }
    let share = purchase.share_id.map(|id| ShareCode::of(&app.signing_key, ShareId(id)).path());
    let next = share.unwrap_or_else(|| purchase.next_path.clone());
    let page = ChargePage { v: me.view, purchase, state, bought, next };
    Ok(page.v.show(&page, &document))
}

async fn outcome_of(app: &App, purchase: &Purchase) -> Result<Option<BoughtOutcome>, sqlx::Error> {
    let id = match purchase.bought_for() {
        Some(BoughtFor::Reservation(id)) => ReservationId(id),
        Some(BoughtFor::Share(id)) => {
            let found = shares::find_payability(&app.db, ShareId(id), purchase.account_id).await?;
            return Ok(found.map(|share| match share.status {
                ShareStatus::Withheld | ShareStatus::Paid if share.is_own => {
                    BoughtOutcome::SharePaid
                }
                ShareStatus::Open if share.is_held => BoughtOutcome::Held,
                _ => BoughtOutcome::Gone(None),
            }));
        }
        None => return Ok(None),
    };
    let found = reservation::find_owned(&app.db, purchase.account_id, id).await?;
    Ok(found.map(|reservation| match reservation.status {
        ReservationStatus::Confirmed => BoughtOutcome::Paid(id),
        ReservationStatus::Held => BoughtOutcome::Held,
        _ => BoughtOutcome::Gone(Some(reservation.schedule_id)),
    }))
}
