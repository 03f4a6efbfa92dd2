//! Prices as people read them: in money where points are sold for it, else in points.

use std::fmt;

use serde::Serialize;

use super::i18n::{Count, Locale, grouped};
use crate::config::{Currency, PaymentConfig, PointPrice};

/// Unit of prices, points or money.
#[derive(Clone, Copy, Debug, Default)]
pub enum PriceUnit {
    /// Points, where they are not sold for money.
    #[default]
    Points,
    /// Money, at the price of a point.
    Money(PointPrice),
}

impl PriceUnit {
    /// Returns the unit of an office with these settings.
    pub fn of(config: &PaymentConfig) -> Self {
        if config.is_for_money() { Self::Money(config.price) } else { Self::Points }
    }

    /// Returns `points` in money; `None` where they are not sold for it.
    pub fn money(self, points: impl Count) -> Option<Money> {
        match self {
            Self::Points => None,
            Self::Money(price) => Some(Money::of(points.count(), price)),
        }
    }

    /// Returns a price in words.
    pub fn say(self, locale: Locale, points: impl Count) -> String {
        match self.money(&points) {
            Some(money) => money.to_string(),
            None => in_points(locale, points),
        }
    }

    /// Returns a price as a sign for which there is little room: as [`Self::say`], without the word for points.
    pub fn sign(self, points: impl Count) -> String {
        self.money(&points).map_or_else(|| grouped(points.count()), |money| money.to_string())
    }

    /// Returns a range of prices in words; one price where both are the same.
    pub fn say_range(self, locale: Locale, low: impl Count, high: impl Count) -> String {
        match low.count() == high.count() {
            true => self.say(locale, low),
            false => self.range(&self.pattern(locale).text, low.count(), high.count()),
        }
    }

    /// Returns a range of prices as a sign.
    pub fn sign_range(self, locale: Locale, low: impl Count, high: impl Count) -> String {
        match low.count() == high.count() {
            true => self.sign(low),
            false => self.range(&self.pattern(locale).sign, low.count(), high.count()),
        }
    }

    /// Returns two prices within the text of a pattern.
    fn range(self, text: &str, low: i64, high: i64) -> String {
        let [low, high] = [low, high]
            .map(|points| self.money(points).map_or_else(|| grouped(points), Money::bare));
        text.replace(PricePattern::AMOUNT, &format!("{low}\u{2013}{high}"))
    }

    /// Returns how a script writes prices that change while a page is open.
    pub fn pattern(self, locale: Locale) -> PricePattern {
        match self {
            Self::Points => {
                let text = locale.text("points-amount").number("count", 2);
                let text = text.word("points", PricePattern::AMOUNT).to_string();
                let sign = PricePattern::AMOUNT.to_owned();
                PricePattern { text, sign, point_minor: 1, digits: 0 }
            }
            Self::Money(PointPrice { minor, currency }) => {
                let (per_whole, digits) = match currency.is_shown_whole() {
                    true => (currency.step(), 0),
                    false => (1, currency.n_decimals()),
                };
                let text = format!("{}{}", sign(currency), PricePattern::AMOUNT);
                let point_minor = minor.get() / per_whole;
                PricePattern { sign: text.clone(), text, point_minor, digits }
            }
        }
    }
}

/// Pattern of a price for scripts: the text, in which [`Self::AMOUNT`] stands for points times `point_minor`, with
/// `digits` of them behind the decimal point.
#[derive(Clone, Debug)]
pub struct PricePattern {
    /// Text around the amount.
    pub text: String,
    /// Text around it where there is little room.
    pub sign: String,
    /// Units of the last digit that one point has.
    pub point_minor: u32,
    /// Digits behind the decimal point.
    pub digits: usize,
}

impl PricePattern {
    /// Stands for the amount in the text.
    const AMOUNT: &str = "{points}";
}

/// Returns an amount of points in words.
pub fn in_points(locale: Locale, points: impl Count) -> String {
    let amount = locale.text("points-amount").number("count", &points);
    amount.number("points", points).to_string()
}

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
    /// Returns the price of `points`.
    pub fn of(points: i64, price: PointPrice) -> Self {
        let minor = points.saturating_mul(i64::from(price.minor.get()));
        Self { minor, currency: price.currency }
    }

    /// Returns the amount as programs read it: its digits with a decimal point, without a sign of the currency.
    pub fn decimal(self) -> String {
        let (whole, fraction) = self.digits();
        let minus = if self.minor < 0 { "-" } else { "" };
        let point = if fraction.is_empty() { "" } else { "." };
        format!("{minus}{whole}{point}{fraction}")
    }

    /// Returns the amount without the sign of its currency, and without a minus.
    fn bare(self) -> String {
        let (whole, fraction) = self.digits();
        let is_whole = self.currency.is_shown_whole() && fraction == "00";
        match fraction.is_empty() || is_whole {
            true => grouped(whole),
            false => format!("{}.{fraction}", grouped(whole)),
        }
    }

    /// Returns the digits before and behind the decimal point.
    fn digits(self) -> (String, String) {
        let n_decimals = self.currency.n_decimals();
        let digits = format!("{:0width$}", self.minor.unsigned_abs(), width = n_decimals + 1);
        let (whole, fraction) = digits.split_at(digits.len() - n_decimals);
        (whole.to_owned(), fraction.to_owned())
    }
}

/// Returns the sign of a currency, or its code where the sign is not known everywhere, as it stands before an amount.
fn sign(currency: Currency) -> String {
    match currency.code() {
        "KRW" => "\u{20a9}".to_owned(),
        "JPY" => "\u{a5}".to_owned(),
        "USD" => "$".to_owned(),
        "EUR" => "\u{20ac}".to_owned(),
        "GBP" => "\u{a3}".to_owned(),
        code => format!("{code}\u{a0}"),
    }
}

impl fmt::Display for Money {
    /// Writes the amount behind the sign of its currency; a negative one has its minus first.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let minus = if self.minor < 0 { "-" } else { "" };
        write!(f, "{minus}{}{}", sign(self.currency), self.bare())
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
            (-1_234_567, "EUR", "-\u{20ac}12,345.67"),
        ] {
            let money = Money { minor, currency: code.parse().unwrap() };
            assert_eq!(money.to_string(), shown);
        }
    }

    #[test]
    fn the_most_points_at_the_highest_price_do_not_overflow() {
        let price =
            PointPrice { minor: std::num::NonZeroU32::MAX, currency: "KRW".parse().unwrap() };
        assert_eq!(Money::of(1_000_000, price).minor, 4_294_967_295_000_000);
        assert_eq!(Money::of(i64::MAX, price).minor, i64::MAX);
    }

    #[test]
    fn a_price_is_told_in_money_where_there_is_some_and_else_in_points() {
        let unit = |minor: u32, code: &str| {
            let currency = code.parse().unwrap();
            PriceUnit::Money(PointPrice { minor: minor.try_into().unwrap(), currency })
        };
        let english = Locale::default();
        assert_eq!(unit(1, "KRW").say(english, 61_000), "\u{20a9}61,000");
        assert_eq!(unit(1, "EUR").say(english, 6_100), "\u{20ac}61.00");
        let decimal =
            |minor, code, points| unit(minor, code).money(points).map(Money::decimal).unwrap();
        assert_eq!(decimal(1, "EUR", 123_456), "1234.56");
        assert_eq!(
            (decimal(1, "KRW", 61_000), decimal(5, "KWD", 1)),
            ("61000".into(), "0.005".into())
        );
        assert_eq!(PriceUnit::Points.say(english, 61_000), "61,000 points");
        assert_eq!(PriceUnit::Points.say(english, 1), "1 point");
        assert_eq!(PriceUnit::Points.money(1), None);
        let euros = unit(1, "EUR");
        assert_eq!(euros.say_range(english, 4_000, 6_000), "\u{20ac}40.00\u{2013}60.00");
        assert_eq!(euros.sign_range(english, 4_000, 4_000), "\u{20ac}40.00");
        let points = PriceUnit::Points;
        assert_eq!(points.say_range(english, 4_000, 6_000), "4,000\u{2013}6,000 points");
        assert_eq!(points.sign_range(english, 4_000, 6_000), "4,000\u{2013}6,000");
        assert_eq!(
            (points.sign(-4_000).as_str(), euros.sign(-5).as_str()),
            ("-4,000", "-\u{20ac}0.05")
        );
    }

    /// As the script writes them: points times the units of one, and the point so many digits from the end.
    #[test]
    fn a_script_writes_the_prices_of_the_server() {
        for (minor, code) in [(1, "KRW"), (7, "EUR"), (200, "ISK"), (100, "UGX"), (10, "KWD")] {
            let currency = code.parse().unwrap();
            let price = PointPrice { minor: std::num::NonZeroU32::new(minor).unwrap(), currency };
            let pattern = PriceUnit::Money(price).pattern(Locale::default());
            let amount = (1_234 * pattern.point_minor).to_string();
            let (whole, fraction) = amount.split_at(amount.len() - pattern.digits);
            let point = if fraction.is_empty() { "" } else { "." };
            let amount = format!("{}{point}{fraction}", grouped(whole));
            let written = pattern.text.replace(PricePattern::AMOUNT, &amount);
            assert_eq!(written, Money::of(1_234, price).to_string());
        }
        let points = PriceUnit::Points.pattern(Locale::default());
        assert_eq!((points.text.as_str(), points.point_minor), ("{points} points", 1));
    }
}
