//! Errors of receipts.

use super::model::{EDITIONS_MAX, ReceiptNumber};
use crate::web::error::{KitError, problems};

problems! {
    /// Reason why no receipt was made.
    pub enum ReceiptError {
        /// The receipt does not exist, or is not the account's.
        NotFound => KitError::NotFound,
        /// Another receipt replaced it meanwhile.
        Replaced { number: ReceiptNumber } = 409 "receipt-replaced" { replaced_by: number }
            .word("number", number).recovery(format!("/receipts/{number}")),
        /// The payment or refund has had as many receipts as it may.
        TooMany { number: ReceiptNumber } = 409 "receipt-limit" { limit: EDITIONS_MAX }
            .number("limit", EDITIONS_MAX).recovery(format!("/receipts/{number}")),
        Contended => KitError::Contended,
    }
    wraps { Database(sqlx::Error) }
    constraints { lock_timeout => Self::Contended }
    retried() or Self::Contended
}
