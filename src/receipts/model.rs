//! Types of sale entries and receipts, and the tax in an amount.

use chrono::{DateTime, Utc};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::{
    catalog::{ProgramId, ScheduleId},
    config::PointPrice,
    infra::ids::ids,
    payment::PaymentId,
    reservation::{ReservationId, ReservationItemId},
    text::prices::{Money, PriceUnit},
};

ids! {
    /// Id of a sale entry.
    pub SaleEntryId(Uuid),
    /// Number of a receipt, from 1, without a gap.
    pub ReceiptNumber(i64),
}

/// Upper bound of the receipts of one payment or refund: `receipts_edition_range`.
pub(super) const EDITIONS_MAX: i32 = 10;

/// What a sale entry is about.
#[derive(
    Clone,
    Copy,
    Debug,
    PartialEq,
    Eq,
    Hash,
    Serialize,
    Deserialize,
    sqlx::Type,
    strum::AsRefStr,
    JsonSchema,
)]
#[sqlx(type_name = "text", rename_all = "SCREAMING_SNAKE_CASE")]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
#[strum(serialize_all = "SCREAMING_SNAKE_CASE")]
pub enum SaleEntryKind {
    /// A payment of an order, or of a share of one.
    Payment,
    /// A refund of what was left of a payment.
    Refund,
    /// One ticket of a payment, given back to the house.
    TicketRefund,
    /// One ticket of a payment, sold on to another account.
    Resale,
}

impl SaleEntryKind {
    /// Whether points came to the house.
    pub fn is_payment(self) -> bool {
        self == Self::Payment
    }
}

/// How places were bought.
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
    strum::EnumString,
    JsonSchema,
)]
#[sqlx(type_name = "text", rename_all = "SCREAMING_SNAKE_CASE")]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
#[strum(serialize_all = "SCREAMING_SNAKE_CASE")]
pub enum SaleChannel {
    /// On the site or through the API, by one account.
    Online,
    /// By several people who paid together.
    Shared,
    /// Offered to the waiting list.
    WaitingList,
    /// Of another account, which put the place back on sale.
    Resale,
}

impl SaleChannel {
    /// Returns the locale key of its name.
    pub fn text_key(self) -> &'static str {
        match self {
            Self::Online => "sale-channel-online",
            Self::Shared => "sale-channel-shared",
            Self::WaitingList => "sale-channel-waiting-list",
            Self::Resale => "sale-channel-resale",
        }
    }
}

/// Hundredths of a percent that are a whole.
const WHOLE_BP: i128 = 10_000;

/// Money of a point and the tax in it, frozen when something is sold.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct SaleTerms {
    /// Price of a point; `None` where points are not sold for money.
    pub price: Option<PointPrice>,
    /// Tax that prices contain, in hundredths of a percent (0-10,000); `None` if none is stated.
    pub tax_rate_bp: Option<i32>,
}

impl SaleTerms {
    /// Reads the columns of a sale entry; an unknown currency counts as none.
    pub(crate) fn of(
        currency: Option<&str>,
        point_minor: Option<i32>,
        tax_rate_bp: Option<i32>,
    ) -> Self {
        let minor = point_minor.and_then(|minor| u32::try_from(minor).ok());
        let minor = minor.and_then(std::num::NonZeroU32::new);
        let price = currency
            .and_then(|code| code.parse().ok())
            .zip(minor)
            .map(|(currency, minor)| PointPrice { minor, currency });
        Self { price, tax_rate_bp: tax_rate_bp.filter(|_| price.is_some()) }
    }

    /// Returns the unit in which amounts are shown.
    pub(crate) fn unit(self) -> PriceUnit {
        self.price.map_or(PriceUnit::Points, PriceUnit::Money)
    }

    /// Returns the tax in `points`, in minor units, rounded half up to the smallest unit that people know of the
    /// currency; `None` if none is stated.
    pub(crate) fn tax_in(self, points: i64) -> Option<i64> {
        let (price, rate) = (self.price?, i128::from(self.tax_rate_bp?));
        let step =
            if price.currency.is_shown_whole() { i128::from(price.currency.step()) } else { 1 };
        let minor = i128::from(points.unsigned_abs()) * i128::from(price.minor.get());
        let parts = (WHOLE_BP + rate) * step;
        let tax = (2 * minor * rate + parts) / (2 * parts) * step;
        let tax = i64::try_from(tax).unwrap_or(i64::MAX);
        Some(if points < 0 { -tax } else { tax })
    }

    /// Returns an amount of tax as people read it.
    pub(crate) fn tax_text(self, minor: i64) -> String {
        let money = self.price.map(|price| Money { minor, currency: price.currency });
        money.map(|money| money.to_string()).unwrap_or_default()
    }
}

/// Part of a sale entry: some places of one item of an order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct SaleLine {
    pub item_id: ReservationItemId,
    pub section: String,
    /// Name of the price type; `None` at the ordinary price.
    pub price_type: Option<String>,
    /// Places that were sold; negative if they came back.
    pub places: i32,
    /// Points that they cost, less the discount; negative if they came back.
    pub price: i64,
    /// Points that a code took off.
    pub discount: i64,
    /// Points of places that came back which the house keeps.
    pub fee: i64,
    /// Tax in the points, in minor units; `None` if none is stated.
    pub tax_minor: Option<i64>,
}

impl SaleLine {
    /// Returns the points that came to the house.
    pub(crate) fn points(&self) -> i64 {
        self.price + self.fee
    }
}

/// What the entries of one order have in common, as it was when it was paid.
#[derive(Clone, Debug)]
pub(crate) struct SoldOrder {
    pub reservation_id: ReservationId,
    pub schedule_id: ScheduleId,
    pub program_id: ProgramId,
    pub title: String,
    pub starts_at: DateTime<Utc>,
    pub time_zone: String,
    pub channel: SaleChannel,
    pub code: Option<String>,
    pub terms: SaleTerms,
}

/// Movement of points between one payer and the house for places of an order.
#[derive(Clone, Debug)]
pub(crate) struct SaleEntry {
    pub id: SaleEntryId,
    pub kind: SaleEntryKind,
    /// What its entry in the ledger refers to: the payment, or the return of the place.
    pub reference_id: Uuid,
    pub payment_id: PaymentId,
    pub at: DateTime<Utc>,
    pub order: SoldOrder,
    pub lines: Vec<SaleLine>,
}

impl SaleEntry {
    /// Returns the points that came to the house; negative for what it gave back.
    pub(crate) fn points(&self) -> i64 {
        self.lines.iter().map(SaleLine::points).sum()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn terms(currency: &str, point_minor: i32, rate: i32) -> SaleTerms {
        SaleTerms::of(Some(currency), Some(point_minor), Some(rate))
    }

    #[test]
    fn the_tax_in_a_price_is_rounded_half_up_to_what_people_know() {
        for (currency, point_minor, rate, points, tax) in [
            ("KRW", 1, 1_000, 11_000, 1_000),
            ("KRW", 1, 1_000, 1_000, 91),
            ("EUR", 1, 1_900, 11_900, 1_900),
            ("EUR", 1, 1_900, 100, 16),
            ("EUR", 1, 550, 211, 11),
            ("KWD", 10, 500, 21, 10),
            ("ISK", 100, 2_400, 124, 2_400),
            ("ISK", 100, 1_100, 100, 1_000),
            ("UGX", 100, 1_800, 1, 0),
            ("EUR", 1, 0, 100, 0),
            ("EUR", 1, 10_000, 3, 2),
            ("EUR", 1, 1_900, -100, -16),
        ] {
            assert_eq!(
                terms(currency, point_minor, rate).tax_in(points),
                Some(tax),
                "{currency} {points}"
            );
        }
        assert_eq!(SaleTerms::of(None, None, Some(1_000)).tax_in(100), None, "points have no tax");
        assert_eq!(SaleTerms::of(Some("EUR"), Some(1), None).tax_in(100), None);
        assert_eq!(terms("EUR", i32::MAX, 10_000).tax_in(i64::MAX), Some(i64::MAX));
    }

    proptest! {
        #[test]
        fn tax_is_never_more_than_the_amount_and_what_is_left_of_none_is_none(
            points in 0_i64..1_000_000_000, rate in 0_i32..=10_000
        ) {
            let tax = terms("EUR", 7, rate).tax_in(points).unwrap();
            prop_assert!((0..=points * 7).contains(&tax));
            prop_assert_eq!(terms("EUR", 7, rate).tax_in(0), Some(0));
        }
    }
}
