//! The unit of every price and every wallet.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::web::i18n::{Count, grouped};

/// An amount of points: whole and never negative.
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
)]
#[sqlx(transparent)]
#[serde(transparent)]
pub struct Points(i64);

impl Points {
    /// No points.
    pub const ZERO: Self = Self(0);

    /// `points`, unless negative.
    pub const fn new(points: i64) -> Option<Self> {
        if points < 0 { None } else { Some(Self(points)) }
    }

    /// The amount as a number.
    pub const fn get(self) -> i64 {
        self.0
    }

    /// Both together, unless nobody could count them.
    pub fn checked_add(self, other: Self) -> Option<Self> {
        self.0.checked_add(other.0).map(Self)
    }

    /// What is left, unless `other` is more.
    pub fn checked_sub(self, other: Self) -> Option<Self> {
        self.0.checked_sub(other.0).and_then(Self::new)
    }

    /// So many times as much, unless nobody could count them.
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
