//! Receipt as people and programs read it.

use chrono::{DateTime, Utc};
use schemars::JsonSchema;
use serde::Serialize;

use super::{
    model::{ReceiptNumber, SaleEntryKind, SaleTerms},
    store::receipts::{ListedReceipt, ReceiptLine, ReceiptRow},
};
use crate::{
    office::model::TaxRate,
    reservation::{ReservationId, ReservationNumber},
    text::i18n::Locale,
};

/// Receipt with its lines, in the language of its reader.
#[derive(Clone, Debug)]
pub(super) struct ShownReceipt {
    pub row: ReceiptRow,
    pub lines: Vec<ReceiptLine>,
    terms: SaleTerms,
    pub locale: Locale,
}

impl ShownReceipt {
    pub(super) fn new(row: ReceiptRow, lines: Vec<ReceiptLine>, locale: Locale) -> Self {
        let terms = SaleTerms::of(row.currency.as_deref(), row.point_minor, row.tax_rate_bp);
        Self { row, lines, terms, locale }
    }

    /// Whether the payer is the owner of the order, and not a friend who paid a share.
    pub(super) fn is_of_owner(&self) -> bool {
        self.row.owner_id == self.row.account_id
    }

    /// Returns the heading: what it is, and its number.
    pub(super) fn title(&self) -> String {
        title_of(self.row.kind, self.row.number, self.locale)
    }

    /// Returns when it was issued, and when it was paid or refunded.
    pub(super) fn dates(&self, issued: String, at: String) -> String {
        let key = match self.row.kind.is_payment() {
            true => "sale-receipt-paid-dates",
            false => "sale-receipt-refund-dates",
        };
        self.locale.text(key).word("issued", issued).word("at", at).to_string()
    }

    /// Returns an amount of points in money of that day, or in points where they were not sold for money.
    pub(super) fn amount(&self, points: i64) -> String {
        self.terms.unit().say(self.locale, points)
    }

    /// Returns the total that was paid or given back, without a sign.
    pub(super) fn total(&self) -> String {
        self.amount(self.row.points.saturating_abs())
    }

    /// Returns what the places of a line cost or what comes back of them, without a sign.
    pub(super) fn line_amount(&self, line: &ReceiptLine) -> String {
        self.amount((line.price + line.discount).saturating_abs())
    }

    /// Returns the name of a line: its section and its price type.
    pub(super) fn line_name(&self, line: &ReceiptLine) -> String {
        let ordinary = || self.locale.text("price-type-ordinary").to_string();
        let price_type = line.price_type.clone().unwrap_or_else(ordinary);
        format!("{} \u{b7} {price_type}", line.section)
    }

    /// Returns what a code took off; `None` if nothing.
    pub(super) fn discount(&self) -> Option<String> {
        let discount: i64 = self.lines.iter().map(|line| line.discount).sum();
        (discount > 0).then(|| self.amount(-discount))
    }

    /// Returns what of a refund the house keeps; `None` if nothing.
    pub(super) fn fee(&self) -> Option<String> {
        let fee: i64 = self.lines.iter().map(|line| line.fee).sum();
        (fee > 0).then(|| self.amount(-fee))
    }

    /// Returns the tax in the total, in minor units, with the sign of the total; `None` if none is stated.
    fn tax_minor(&self) -> Option<i64> {
        self.row.tax_rate_bp?;
        self.lines.iter().map(|line| line.tax_minor).sum()
    }

    /// Returns the sentence about the tax; `None` if none is stated.
    pub(super) fn tax(&self) -> Option<String> {
        let (rate, tax) = (self.row.tax_rate_bp?, self.tax_minor()?);
        let text = self.locale.text("sale-receipt-tax").word("rate", TaxRate(rate));
        Some(text.word("amount", self.terms.tax_text(tax.saturating_abs())).to_string())
    }

    /// Returns the sentences below the total.
    pub(super) fn notes(&self) -> Vec<String> {
        let with = |key: &'static str, number: Option<ReceiptNumber>| {
            number.map(|number| self.locale.text(key).word("number", number).to_string())
        };
        let text = |key: &'static str| Some(self.locale.text(key).to_string());
        let reservation = ReservationNumber::from(self.row.reservation_id);
        let notes = [
            with("sale-receipt-replaces", self.row.replaces),
            with("sale-receipt-replaced-by", self.row.replaced_by),
            with("sale-receipt-refund-of", self.row.refund_of),
            text(match (self.row.kind.is_payment(), self.terms.price.is_some()) {
                (true, _) => "sale-receipt-from-wallet",
                (false, _) => "sale-receipt-to-wallet",
            }),
            self.tax_minor().and_then(|_| text("sale-receipt-rounding")),
            if self.terms.price.is_none() { text("sale-receipt-points") } else { None },
            Some(self.locale.text("reservation-number").word("number", reservation).to_string()),
        ];
        notes.into_iter().flatten().collect()
    }
}

/// Returns the heading of a receipt.
pub fn title_of(kind: SaleEntryKind, number: ReceiptNumber, locale: Locale) -> String {
    let key = if kind.is_payment() { "sale-receipt-title" } else { "sale-receipt-refund-title" };
    locale.text(key).word("number", number).to_string()
}

impl ListedReceipt {
    fn terms(&self) -> SaleTerms {
        SaleTerms::of(self.currency.as_deref(), self.point_minor, self.tax_rate_bp)
    }

    /// Returns its heading.
    pub fn title(&self, locale: Locale) -> String {
        title_of(self.kind, self.number, locale)
    }

    /// Returns the total as people read it; negative for what was given back.
    pub fn amount(&self, locale: Locale) -> String {
        self.terms().unit().say(locale, self.points)
    }

    /// Returns the tax in the total as people read it; empty if none is stated.
    pub fn tax(&self) -> String {
        self.tax_minor.map(|minor| self.terms().tax_text(minor)).unwrap_or_default()
    }

    /// Returns the tax rate in percent; empty if none is stated.
    pub fn rate(&self) -> String {
        self.tax_rate_bp.map(|rate| TaxRate(rate).number()).unwrap_or_default()
    }

    /// Returns the total in minor units of its currency; `None` in points.
    pub fn amount_minor(&self) -> Option<i64> {
        self.terms().unit().money(self.points).map(|money| money.minor)
    }
}

/// Receipt in a list, for programs.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ListedReceiptDocument {
    number: ReceiptNumber,
    kind: SaleEntryKind,
    /// When it was issued.
    issued_at: DateTime<Utc>,
    /// When it was paid or given back.
    at: DateTime<Utc>,
    reservation_id: ReservationId,
    title: String,
    /// Name or company; empty if none was given.
    buyer: String,
    /// Points that were paid; negative for what was given back.
    points: i64,
    /// The same in the smallest unit of the currency; null where points were not sold for money.
    amount_minor: Option<i64>,
    currency: Option<String>,
    /// Tax that is contained, in hundredths of a percent; null if none is stated.
    tax_rate_bp: Option<i32>,
    /// Tax in the amount, in the smallest unit of the currency.
    tax_minor: Option<i64>,
    /// Receipt that it replaces.
    replaces: Option<ReceiptNumber>,
    /// Receipt that replaces it.
    replaced_by: Option<ReceiptNumber>,
}

impl From<&ListedReceipt> for ListedReceiptDocument {
    fn from(listed: &ListedReceipt) -> Self {
        let amount_minor = listed.amount_minor();
        let ListedReceipt { title, buyer, currency, .. } = listed.clone();
        Self {
            number: listed.number,
            kind: listed.kind,
            issued_at: listed.issued_at,
            at: listed.at,
            reservation_id: listed.reservation_id,
            title,
            buyer,
            points: listed.points,
            amount_minor,
            currency,
            tax_rate_bp: listed.tax_rate_bp,
            tax_minor: listed.tax_minor,
            replaces: listed.replaces,
            replaced_by: listed.replaced_by,
        }
    }
}

/// Places of one section and price type on a receipt.
#[derive(Debug, Serialize, JsonSchema)]
struct ReceiptLineDocument {
    section: String,
    /// Name of the price type; null at the ordinary price.
    price_type: Option<String>,
    /// Places; negative if they came back.
    places: i64,
    /// Points that they cost, less the discount; negative if they came back.
    price_points: i64,
    /// Points that a code took off.
    discount_points: i64,
    /// Points of places that came back which the house keeps.
    fee_points: i64,
    /// Tax in `price_points` and `fee_points`, in the smallest unit of the currency.
    tax_minor: Option<i64>,
}

/// Receipt, for programs.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ReceiptDocument {
    number: ReceiptNumber,
    kind: SaleEntryKind,
    issued_at: DateTime<Utc>,
    /// When it was paid or given back.
    at: DateTime<Utc>,
    /// Who sold.
    seller: String,
    seller_address: String,
    tax_number: String,
    /// Name or company; empty if none was given.
    buyer: String,
    reservation_id: ReservationId,
    title: String,
    starts_at: DateTime<Utc>,
    lines: Vec<ReceiptLineDocument>,
    /// Points that were paid; negative for what was given back.
    points: i64,
    /// The same in the smallest unit of the currency; null where points were not sold for money.
    amount_minor: Option<i64>,
    currency: Option<String>,
    /// Tax that is contained, in hundredths of a percent; null if none is stated.
    tax_rate_bp: Option<i32>,
    /// Tax in the amount, in the smallest unit of the currency.
    tax_minor: Option<i64>,
    /// Receipt that it replaces.
    replaces: Option<ReceiptNumber>,
    /// Receipt that replaces it.
    replaced_by: Option<ReceiptNumber>,
    /// Receipt of the payment of which something came back.
    refund_of: Option<ReceiptNumber>,
}

impl From<&ShownReceipt> for ReceiptDocument {
    fn from(shown: &ShownReceipt) -> Self {
        let row = shown.row.clone();
        let lines = shown.lines.iter().cloned().map(|line| ReceiptLineDocument {
            section: line.section,
            price_type: line.price_type,
            places: line.places,
            price_points: line.price,
            discount_points: line.discount,
            fee_points: line.fee,
            tax_minor: line.tax_minor,
        });
        Self {
            number: row.number,
            kind: row.kind,
            issued_at: row.issued_at,
            at: row.at,
            seller: row.seller,
            seller_address: row.seller_address,
            tax_number: row.tax_number,
            buyer: row.buyer,
            reservation_id: row.reservation_id,
            title: row.title,
            starts_at: row.starts_at,
            lines: lines.collect(),
            points: row.points,
            amount_minor: shown.terms.unit().money(row.points).map(|money| money.minor),
            currency: row.currency,
            tax_rate_bp: row.tax_rate_bp,
            tax_minor: shown.tax_minor(),
            replaces: row.replaces,
            replaced_by: row.replaced_by,
            refund_of: row.refund_of,
        }
    }
}
