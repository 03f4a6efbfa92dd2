//! Points: the unit of every price and every wallet.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::text::i18n::{Count, grouped};

/// Amount of whole points, never negative.
#[derive(
    Clone,
    Copy,
    Debug,
    Default,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    Serialize,
    Deserialize,
    sqlx::Type,
    JsonSchema,
)]
#[sqlx(transparent)]
#[serde(transparent)]
pub struct Points(i64);

impl Points {
    /// Zero points.
    pub const ZERO: Self = Self(0);
    /// One point.
    pub const ONE: Self = Self(1);

    /// Creates an amount; `None` if `points` is negative.
    pub const fn new(points: i64) -> Option<Self> {
        if points < 0 { None } else { Some(Self(points)) }
    }

    /// Returns the amount as a number.
    pub const fn get(self) -> i64 {
        self.0
    }

    /// Returns `self + other`; `None` on overflow.
    pub fn checked_add(self, other: Self) -> Option<Self> {
        self.0.checked_add(other.0).map(Self)
    }

    /// Returns the sum of `points`; `None` on overflow.
    pub fn sum(points: impl IntoIterator<Item = Self>) -> Option<Self> {
        points.into_iter().try_fold(Self::ZERO, Self::checked_add)
    }

    /// Returns `self - other`; `None` if `other` is larger.
    pub fn checked_sub(self, other: Self) -> Option<Self> {
        self.0.checked_sub(other.0).and_then(Self::new)
    }

    /// Returns `percent` of the amount, rounded down to whole points. Exact
    /// up to the largest amount and never more than the amount; `None` outside 0 to 100 percent.
    pub fn share(self, percent: i32) -> Option<Self> {
        const WHOLE: i128 = 100;
        let percent = i128::from(percent);
        if !(0..=WHOLE).contains(&percent) {
            return None;
        }
        i64::try_from(i128::from(self.0) * percent / WHOLE).ok().map(Self)
    }

    /// Returns `self * times`; `None` on overflow or a negative result.
    pub fn checked_mul(self, times: i64) -> Option<Self> {
        self.0.checked_mul(times).and_then(Self::new)
    }
}

impl Count for Points {
    fn count(&self) -> i64 {
        self.0
    }
}

impl fmt::Display for Points {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&grouped(self.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::{i18n::Locale, prices::in_points};

    #[test]
    fn a_share_is_rounded_down_and_exact_for_the_largest_amount() {
        let share = |amount, percent| Points(amount).share(percent).map(Points::get);
        assert_eq!(share(99, 50), Some(49));
        assert_eq!(share(99, 0), Some(0));
        assert_eq!(share(i64::MAX, 100), Some(i64::MAX));
        assert_eq!(share(i64::MAX, 99), Some(9_131_138_316_486_228_048));
    }

    #[test]
    fn no_share_is_negative_or_more_than_all() {
        for percent in [-1, 101, i32::MIN, i32::MAX] {
            assert_eq!(Points(100).share(percent), None, "{percent}");
        }
    }

    #[test]
    fn an_amount_is_written_by_thousands_and_counts_for_the_plural() {
        let text = |amount| in_points(Locale::default(), Points(amount));
        assert_eq!((text(1).as_str(), text(1_234).as_str()), ("1 point", "1,234 points"));
        assert_eq!(Points(1_234_567).to_string(), "1,234,567");
    }
}
