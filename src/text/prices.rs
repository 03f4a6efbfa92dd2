//! Prices of points in money.

use std::fmt;

use serde::Serialize;

use crate::{
    config::{Currency, PointPrice},
    text::i18n::grouped,
    wallet::charges::model::ChargeAmount,
};

/// Amount of money in minor units of its currency.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Money {
    /// Number of minor units.
    #[serde(rename = "amount_minor")]
    pub minor: i64,
    /// Currency of the amount.
    pub currency: Currency,
}

impl Money {
    /// Returns the price of `amount` points.
    pub fn of(amount: ChargeAmount, price: PointPrice) -> Self {
        let minor = amount.points().get().saturating_mul(i64::from(price.minor.get()));
        Self { minor, currency: price.currency }
    }
}

impl fmt::Display for Money {
    /// Writes the amount with the sign of its currency, or with its code where the sign is not
    /// known everywhere.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let n_decimals = self.currency.n_decimals();
        let digits = format!("{:0width$}", self.minor, width = n_decimals + 1);
        let (whole, fraction) = digits.split_at(digits.len() - n_decimals);
        match self.currency.code() {
            "KRW" => f.write_str("\u{20a9}")?,
            "JPY" => f.write_str("\u{a5}")?,
            "USD" => f.write_str("$")?,
            "EUR" => f.write_str("\u{20ac}")?,
            "GBP" => f.write_str("\u{a3}")?,
            code => write!(f, "{code}\u{a0}")?,
        }
        f.write_str(&grouped(whole))?;
        let is_whole = self.currency.is_shown_whole() && fraction == "00";
        if fraction.is_empty() || is_whole { Ok(()) } else { write!(f, ".{fraction}") }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_amount_has_the_digits_of_its_currency() {
        for (minor, code, shown) in [
            (10_000, "KRW", "\u{20a9}10,000"),
            (5, "JPY", "\u{a5}5"),
            (1_234_567, "USD", "$12,345.67"),
            (5, "EUR", "\u{20ac}0.05"),
            (1_500, "KWD", "KWD\u{a0}1.500"),
            (100, "CHF", "CHF\u{a0}1.00"),
            (1_505_000, "ISK", "ISK\u{a0}15,050"),
            (100, "UGX", "UGX\u{a0}1"),
        ] {
            let money = Money { minor, currency: code.parse().unwrap() };
            assert_eq!(money.to_string(), shown);
        }
    }

    #[test]
    fn the_most_points_at_the_highest_price_do_not_overflow() {
        let price =
            PointPrice { minor: std::num::NonZeroU32::MAX, currency: "KRW".parse().unwrap() };
        let most = ChargeAmount::new(ChargeAmount::MAX).unwrap();
        assert_eq!(Money::of(most, price).minor, 4_294_967_295_000_000);
    }
}
