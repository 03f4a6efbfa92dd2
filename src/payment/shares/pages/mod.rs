//! Pages of shares: the holder's, and the one that a link leads to.

mod form;
pub(crate) mod holder;
pub(crate) mod link;
pub(crate) mod new;
mod places;

use super::model::{SharePaid, ShareStatus};

/// Returns the message after a payment of a share.
fn flash_of(paid: &SharePaid) -> &'static str {
    match paid.status {
        ShareStatus::Paid => "flash-shares-paid",
        _ => "flash-share-withheld",
    }
}
