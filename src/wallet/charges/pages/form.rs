//! Charge form: its fields as sent, and the form as shown.

use schemars::JsonSchema;
use serde::Deserialize;
use uuid::Uuid;

use crate::{
    accounts::AccountId,
    config::PointPrice,
    infra::{idempotency::RequestKey, ids::new_id},
    points::Points,
    text::{i18n::Count, prices::Money},
    wallet::charges::{
        model::{Charge, ChargeAmount},
        provider::Provider,
        purchases::model::{BoughtFor, PurchaseOrder},
    },
    web::{
        form::{Field, Mistakes},
        local_path::LocalPath,
        request_key,
    },
};

/// Path of the wallet, to which a charge returns by itself.
pub const WALLET_PATH: &str = "/wallet";
/// Amounts offered as buttons.
const AMOUNTS: [i64; 4] = [10_000, 30_000, 50_000, 100_000];

/// Fields of a charge, as sent.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(default)]
#[schemars(extend("required" = ["amount"]))]
pub struct ChargeForm {
    /// Points, 1 to 1,000,000.
    amount: Field,
    /// UUID of the request. Repeated with the same body, it answers the first success again.
    request_key: Field,
    /// Path of this site that a browser is led to afterwards.
    next: Field,
    /// Reservation to be paid with the points.
    reservation_id: Field,
    /// Code in the link of a friend's share to be paid with the points.
    share: Field,
}

impl ChargeForm {
    /// Parses the fields; notes every mistake.
    pub fn parse(&self, account_id: AccountId) -> Result<(Charge, Option<RequestKey>), Mistakes> {
        let mut mistakes = Mistakes::default();
        let amount = self.amount.parse().and_then(ChargeAmount::new);
        let amount = mistakes.note("amount", "wallet-refusal-amount", amount);
        let key = request_key::parse(&mut mistakes, &self.request_key);
        let order = amount.map(|amount| {
            let charge_id = key.unwrap_or_else(new_id);
            let key =
                key.map(|key| RequestKey::new(account_id.0, key, "POST /wallet/charges", &amount));
            (Charge { charge_id, account_id, amount }, key)
        });
        mistakes.or(order)
    }

    /// Returns the code in the link of the share that the points pay; `None` without one.
    pub fn share(&self) -> Option<&str> {
        Some(self.share.text()).filter(|code| !code.is_empty())
    }

    /// Returns `charge` as an order at a provider that takes `price` for a point; the points pay `share_id` if
    /// there is one. The way back does not name it: the bearer of its link could pay it.
    pub fn order(
        &self,
        charge: &Charge,
        price: PointPrice,
        share_id: Option<Uuid>,
    ) -> PurchaseOrder {
        let next = self.next().filter(|_| share_id.is_none());
        let share = share_id.map(BoughtFor::Share);
        PurchaseOrder {
            account_id: charge.account_id,
            request_key: charge.charge_id,
            amount: charge.amount,
            price: Money::of(charge.amount.points().get(), price),
            bought_for: share.or(self.reservation_id.parse().map(BoughtFor::Reservation)),
            next: next.map_or_else(|| WALLET_PATH.to_owned(), |next| next.to_string()),
        }
    }

    /// Returns the reservation that the points are for: the one that they pay, or the one whose page the
    /// browser returns to; `None` where they are for the wallet.
    pub fn reservation_id(&self) -> Option<Uuid> {
        let of_page = || {
            let next = self.next()?;
            let id = next.as_str().strip_prefix("/reservations/")?.split(['/', '?', '#']).next()?;
            id.parse().ok()
        };
        self.reservation_id.parse().or_else(of_page)
    }

    /// Returns the path to which the browser returns.
    pub fn next(&self) -> Option<LocalPath> {
        Some(self.next.text()).filter(|next| !next.is_empty()).map(LocalPath::or_start)
    }
}

/// Charge form, shown on the wallet and on a reservation that lacks points. Its template is
/// `wallet/charge_form.html`, included where a `charge` and a `v` are in scope.
#[derive(Clone, Debug)]
pub struct ChargeBox {
    /// Request key of the form, so that a double click charges once.
    pub request_key: Uuid,
    /// Request key of the form that pays the rest of a reservation.
    pub rest_key: Uuid,
    /// Missing amount, offered first; `None` if nothing specific is missing.
    pub missing: Option<Points>,
    /// Whether the missing amount is all that is to be paid.
    pub is_all_missing: bool,
    /// Further amounts offered as buttons.
    pub amounts: Vec<Points>,
    /// Local path to which the browser returns; `None` for the wallet.
    pub next: Option<String>,
    /// Name and value of the field that says what the missing points pay by themselves; `None` where there is
    /// nothing, or where points cost nothing.
    pub pays: Option<(&'static str, String)>,
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
    provider: Provider,
}

impl ChargeBox {
    /// Creates an empty form that returns to the wallet.
    pub fn new(provider: &Provider) -> Self {
        Self {
            request_key: new_id(),
            rest_key: new_id(),
            missing: None,
            is_all_missing: false,
            amounts: AMOUNTS.into_iter().filter_map(Points::new).collect(),
            next: None,
            pays: None,
            amount_max: ChargeAmount::MAX,
            typed: String::new(),
            refusal: None,
            provider_key: provider.name_key(),
            note_key: provider.note_key(),
            provider: provider.clone(),
        }
    }

    /// Returns the price of `points`; `None` where they cost nothing.
    pub fn price(&self, points: impl Count) -> Option<Money> {
        self.provider.price(ChargeAmount::new(points.count())?)
    }

    /// Returns the price of one point; `None` where it costs nothing.
    pub fn unit_price(&self) -> Option<Money> {
        self.provider.price(ChargeAmount::new(1)?)
    }

    /// Offers the points first that are missing of a total, and returns to `next`. Where they cost money, they pay
    /// by themselves for what the field `pays` names.
    #[must_use]
    pub fn missing(
        mut self,
        (missing, total): (Points, Points),
        next: String,
        pays: (&'static str, String),
    ) -> Self {
        self.is_all_missing = missing == total;
        let fits = ChargeAmount::new(missing.get()).is_some();
        self.missing = fits.then_some(missing);
        self.pays = self.unit_price().and(fits.then_some(pays));
        self.amounts.retain(|amount| *amount > missing);
        self.next = Some(next);
        self
    }

    /// Returns the form as typed, with the reason of the refusal.
    #[must_use]
    pub fn refused(mut self, form: &ChargeForm, refusal: Option<String>) -> Self {
        form.amount.text().clone_into(&mut self.typed);
        self.next = form.next().map(|next| next.to_string()).or(self.next);
        self.refusal = refusal;
        self
    }
}
