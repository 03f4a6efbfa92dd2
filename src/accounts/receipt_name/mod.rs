//! Name or company that an account wants on its receipts: typed where it pays or among its receipts.
//!
//! # Invariants
//!
//! * A receipt has the name that was typed last before its payment. Earlier names stay until what was paid with them is
//!   booked, and go with the next one that is typed.
//! * A deleted account has none.
//!
//! # Concurrency
//!
//! The statement that keeps a name locks the account, so it waits for a deletion and then keeps nothing. Of two names at
//! once the later one stands.

mod store;

pub(super) use self::store::delete_all;
pub use self::store::{find, keep};

/// Name or company on a receipt, one line; empty: none.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ReceiptName(String);

impl ReceiptName {
    /// Bound on its characters: `receipt_names_buyer_length`, `receipts_buyer_length`.
    const CHARS_MAX: usize = 200;

    /// Returns a composed `text` as a name; `None` if it is too long or has control characters.
    pub fn parse(text: &str) -> Option<Self> {
        let fits = text.chars().count() <= Self::CHARS_MAX && !text.chars().any(char::is_control);
        fits.then(|| Self(text.to_owned()))
    }

    /// Returns the name.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}
