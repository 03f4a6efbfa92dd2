//! Orders of the large office and their outcomes.

use sha2::{Digest, Sha256};

pub(crate) const ROWS: u64 = 10;
pub(crate) const SEATS_A_ROW: u64 = 25;
/// Seats of one price.
const SEATS_A_SECTION: u64 = ROWS * SEATS_A_ROW;
/// Price of a seat in points, by section.
const PRICES: [i64; 4] = [120_000, 90_000, 60_000, 40_000];
/// Duration of a hold, in seconds.
pub(crate) const HOLD_SECS: i64 = 300;
/// Time from a hold to its payment, in seconds.
pub(crate) const PAID_SECS: i64 = 30;

/// Outcome of an order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, strum::AsRefStr)]
#[strum(serialize_all = "UPPERCASE")]
pub(crate) enum OrderOutcome {
    Confirmed,
    Cancelled,
    Expired,
    Refunded,
}

impl OrderOutcome {
    pub(crate) fn of(buyer: u64, order: u64) -> Self {
        match (order, buyer % 8) {
            (0, 0) => Self::Cancelled,
            (0, 1) => Self::Expired,
            (0, 2) => Self::Refunded,
            _ => Self::Confirmed,
        }
    }

    /// Returns the status and the version of the order's payment; `None` if it was not paid.
    pub(crate) fn payment(self) -> Option<(&'static str, i32)> {
        match self {
            Self::Confirmed => Some(("COMPLETED", 0)),
            Self::Refunded => Some(("REFUNDED", 1)),
            Self::Cancelled | Self::Expired => None,
        }
    }

    /// Returns the status of the order's tickets; `None` if it has none.
    pub(crate) fn ticket_status(self) -> Option<&'static str> {
        match self {
            Self::Confirmed => Some("VALID"),
            Self::Refunded => Some("VOID"),
            Self::Cancelled | Self::Expired => None,
        }
    }

    pub(crate) fn settled_after_secs(self) -> i64 {
        match self {
            Self::Confirmed => PAID_SECS,
            Self::Cancelled => 20,
            Self::Expired => HOLD_SECS,
            Self::Refunded => 320,
        }
    }
}

/// Returns the number of seats of an order.
pub(crate) fn seats_of(buyer: u64, order: u64) -> u64 {
    1 + (buyer + order) % 2
}

pub(crate) fn price(place: u64) -> i64 {
    let section = usize::try_from(place / SEATS_A_SECTION).unwrap_or_default();
    PRICES.get(section).copied().unwrap_or_default()
}

/// Returns a ticket code of the same length and alphabet as real ones.
pub(crate) fn code(nth: u64) -> String {
    const LETTERS: usize = 26;
    let digest = Sha256::digest(nth.to_be_bytes());
    let letters = digest.iter().map(|byte| match byte & 31 {
        letter @ 0..26 => char::from(b'A' + letter),
        digit => char::from(b'2' + (digit - 26)),
    });
    letters.take(LETTERS).collect()
}
