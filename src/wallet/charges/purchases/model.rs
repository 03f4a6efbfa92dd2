//! Purchases, their states, and the effect of the provider's answers.

use chrono::{DateTime, Utc};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::{
    accounts::AccountId,
    infra::ids::ids,
    points::Points,
    text::prices::Money,
    wallet::charges::{
        model::{ChargeAmount, TakenPayment},
        stripe::checkout::Checkout,
    },
};

ids! {
    /// Id of a purchase: the key of its checkout at the provider, and the reference of its entry in
    /// the ledger.
    pub PurchaseId(Uuid),
}

impl PurchaseId {
    /// Returns the path of its page, to which the person comes back.
    pub fn path(self) -> String {
        format!("/wallet/charges/{self}")
    }

    /// Returns when the purchase was ordered, which its id has.
    pub(crate) fn made_at(self) -> Option<DateTime<Utc>> {
        let (secs, nanos) = self.0.get_timestamp()?.to_unix();
        DateTime::from_timestamp(i64::try_from(secs).ok()?, nanos)
    }
}

/// State of a purchase.
#[derive(
    Clone,
    Copy,
    Debug,
    PartialEq,
    Eq,
    Serialize,
    Deserialize,
    sqlx::Type,
    strum::AsRefStr,
    JsonSchema,
)]
#[sqlx(type_name = "text", rename_all = "SCREAMING_SNAKE_CASE")]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
#[strum(serialize_all = "SCREAMING_SNAKE_CASE")]
pub enum PurchaseStatus {
    /// Unpaid, as far as is known.
    Open,
    /// The checkout ended unpaid.
    Expired,
    /// The provider refused the checkout, or never answered for it.
    Failed,
    /// Paid, and the points are credited.
    Settled,
    /// All of the money was returned.
    Refunded,
    /// The payer's bank withdrew the money.
    Disputed,
    /// The dispute about the money was won.
    Reinstated,
}

impl PurchaseStatus {
    /// Whether the points have not been credited: money that arrives now is settled.
    pub fn is_unsettled(self) -> bool {
        matches!(self, Self::Open | Self::Expired | Self::Failed)
    }
}

/// Purpose of a purchase, by its id: its points pay it once they are there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BoughtFor {
    /// Reservation of the buyer.
    Reservation(Uuid),
    /// Share of the reservation of a friend.
    Share(Uuid),
}

impl BoughtFor {
    /// Returns the id.
    pub fn id(self) -> Uuid {
        match self {
            Self::Reservation(id) | Self::Share(id) => id,
        }
    }
}

/// Order to buy points with money.
#[derive(Clone, Debug)]
pub struct PurchaseOrder {
    pub account_id: AccountId,
    /// Request key of the form: a second click finds the first one's purchase.
    pub request_key: Uuid,
    pub amount: ChargeAmount,
    /// Price of the points.
    pub price: Money,
    /// `None` where the points are for the wallet.
    pub bought_for: Option<BoughtFor>,
    /// Path of the page to which the person returns.
    pub next: String,
}

/// Points bought with money at a payment provider: a row of `charges`.
#[derive(Clone, Debug)]
pub struct Purchase {
    pub id: PurchaseId,
    pub account_id: AccountId,
    pub points: Points,
    pub amount_minor: i64,
    /// Code of the currency, in upper case.
    pub currency: String,
    /// Name of the checkout at the provider; `None` until its answer has arrived.
    pub provider_ref: Option<String>,
    pub checkout_url: Option<String>,
    pub reservation_id: Option<Uuid>,
    pub share_id: Option<Uuid>,
    pub next_path: String,
    pub status: PurchaseStatus,
    pub created_at: DateTime<Utc>,
    /// End of the checkout at the provider.
    pub expires_at: DateTime<Utc>,
}

/// Effect of a checkout on a purchase.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CheckoutVerdict {
    /// All of the money was taken.
    Paid(TakenPayment),
    /// The person has not paid yet.
    Unpaid,
    /// The person has finished, and the money is on its way.
    Processing,
    /// The checkout ended unpaid.
    Ended,
    /// The checkout is of another purchase, or over another amount: nothing is credited.
    Mismatch(&'static str),
}

impl Purchase {
    /// Returns what the points were bought for; `None`: for the wallet.
    pub fn bought_for(&self) -> Option<BoughtFor> {
        let reservation = self.reservation_id.map(BoughtFor::Reservation);
        reservation.or(self.share_id.map(BoughtFor::Share))
    }

    /// Returns the effect of `checkout` on this purchase.
    pub fn judge(&self, checkout: &Checkout) -> CheckoutVerdict {
        let is_ours = checkout.client_reference_id.as_deref() == Some(&*self.id.to_string())
            && self.provider_ref.as_ref().is_none_or(|known| *known == checkout.id);
        if !is_ours {
            return CheckoutVerdict::Mismatch("reference");
        }
        match (checkout.payment_status.as_str(), checkout.status.as_deref()) {
            ("paid", _) if checkout.amount_total != Some(self.amount_minor) => {
                CheckoutVerdict::Mismatch("amount")
            }
            ("paid", _) if !self.is_in_currency(checkout.currency.as_deref()) => {
                CheckoutVerdict::Mismatch("currency")
            }
            ("paid", _) => match &checkout.payment_intent {
                Some(payment_ref) => CheckoutVerdict::Paid(TakenPayment {
                    provider_ref: checkout.id.clone(),
                    payment_ref: payment_ref.clone(),
                }),
                None => CheckoutVerdict::Mismatch("payment"),
            },
            ("unpaid", Some("open")) => CheckoutVerdict::Unpaid,
            ("unpaid", Some("complete")) => CheckoutVerdict::Processing,
            ("unpaid", Some("expired")) => CheckoutVerdict::Ended,
            _ => CheckoutVerdict::Mismatch("state"),
        }
    }

    /// Whether `code` is the currency of this purchase.
    pub(crate) fn is_in_currency(&self, code: Option<&str>) -> bool {
        code.is_some_and(|code| code.eq_ignore_ascii_case(&self.currency))
    }

    /// Returns the agreed payment.
    pub fn price(&self) -> Option<Money> {
        Some(Money { minor: self.amount_minor, currency: self.currency.parse().ok()? })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn purchase() -> Purchase {
        Purchase {
            id: PurchaseId(Uuid::nil()),
            account_id: AccountId(Uuid::nil()),
            points: Points::new(500).unwrap(),
            amount_minor: 500,
            currency: "KRW".to_owned(),
            provider_ref: Some("cs_1".to_owned()),
            checkout_url: None,
            reservation_id: None,
            share_id: None,
            next_path: "/wallet".to_owned(),
            status: PurchaseStatus::Open,
            created_at: DateTime::UNIX_EPOCH,
            expires_at: DateTime::UNIX_EPOCH,
        }
    }

    fn paid() -> Checkout {
        Checkout {
            id: "cs_1".to_owned(),
            url: None,
            status: Some("complete".to_owned()),
            payment_status: "paid".to_owned(),
            amount_total: Some(500),
            currency: Some("krw".to_owned()),
            payment_intent: Some("pi_1".to_owned()),
            client_reference_id: Some(Uuid::nil().to_string()),
        }
    }

    #[test]
    fn only_the_agreed_amount_in_the_agreed_currency_is_paid() {
        let purchase = purchase();
        let verdict = |change: fn(&mut Checkout)| {
            let mut checkout = paid();
            change(&mut checkout);
            purchase.judge(&checkout)
        };
        let taken =
            TakenPayment { provider_ref: "cs_1".to_owned(), payment_ref: "pi_1".to_owned() };
        assert_eq!(verdict(|_| ()), CheckoutVerdict::Paid(taken));
        let mismatch =
            |change, reason| assert_eq!(verdict(change), CheckoutVerdict::Mismatch(reason));
        mismatch(|paid| paid.amount_total = Some(499), "amount");
        mismatch(|paid| paid.amount_total = None, "amount");
        mismatch(|paid| paid.currency = Some("usd".to_owned()), "currency");
        mismatch(|paid| paid.id = "cs_2".to_owned(), "reference");
        mismatch(|paid| paid.client_reference_id = None, "reference");
        mismatch(|paid| paid.payment_intent = None, "payment");
        mismatch(|paid| paid.payment_status = "no_payment_required".to_owned(), "state");
    }

    #[test]
    fn unpaid_is_said_in_three_ways() {
        for (status, expected) in [
            ("open", CheckoutVerdict::Unpaid),
            ("complete", CheckoutVerdict::Processing),
            ("expired", CheckoutVerdict::Ended),
        ] {
            let checkout = Checkout {
                status: Some(status.to_owned()),
                payment_status: "unpaid".to_owned(),
                ..paid()
            };
            assert_eq!(purchase().judge(&checkout), expected);
        }
    }

    #[test]
    fn money_that_arrives_is_settled_until_the_points_were_credited() {
        use PurchaseStatus::{Disputed, Expired, Failed, Open, Refunded, Reinstated, Settled};
        assert!([Open, Expired, Failed].into_iter().all(PurchaseStatus::is_unsettled));
        let credited = [Settled, Refunded, Disputed, Reinstated];
        assert!(!credited.into_iter().any(PurchaseStatus::is_unsettled));
    }

    #[test]
    fn a_purchase_has_a_page_and_the_price_that_was_agreed() {
        let purchase = purchase();
        let page = "/wallet/charges/00000000-0000-0000-0000-000000000000";
        assert_eq!(purchase.id.path(), page);
        let won = Money { minor: 500, currency: "KRW".parse().unwrap() };
        assert_eq!(purchase.price(), Some(won));
        let nonsense = Purchase { currency: "points".to_owned(), ..purchase };
        assert_eq!(nonsense.price(), None);
    }
}
