//! Pages of shares: the holder's, and the one that a link leads to.

mod form;
pub mod holder;
pub mod link;
pub mod new;
mod places;

use super::model::{SharePaid, ShareStatus};

/// Returns the message after a payment of a share.
fn flash_of(paid: &SharePaid) -> &'static str {
    match paid.status {
        ShareStatus::Paid => "flash-shares-paid",
        _ => "flash-share-withheld",
    }
}
