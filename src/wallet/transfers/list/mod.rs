//! List of an account's requests, sent and received, by state and counterparty.
//!
//! A **counterparty** is the other person: given by the address, or by a request with the person,
//! because a receiver does not see the sender's address. An address selects the requests that were
//! sent to it as typed until they are accepted: whose it is shows by no list. A **filter** selects
//! requests; pages go from the newest to the oldest by the id of the last one seen. A planned request
//! is in its sender's list only, until it starts.

mod model;
pub mod pages;
mod store;

use self::model::{Counterparty, TransferFilter};
use super::model::{Transfer, TransferId};
use crate::{
    accounts::{self, AccountId},
    infra::postgres::Pool,
};

/// Page of the list.
#[derive(Debug, Default)]
pub(crate) struct ListedTransfers {
    /// Requests, and one more if there is a next page.
    pub rows: Vec<Transfer>,
    /// Name of a counterparty that was given by a request, or the address of a receiver that has not
    /// accepted.
    pub picked: Option<String>,
}

/// Lists one page of the requests of `account_id` that `filter` selects and that are older than
/// `after`, newest first. A counterparty that no request names gives an empty page.
pub(crate) async fn list_page(
    db: &Pool,
    account_id: AccountId,
    filter: &TransferFilter,
    after: Option<TransferId>,
) -> Result<ListedTransfers, sqlx::Error> {
    let (mut other_id, mut address, mut picked) = (None, None, None);
    match &filter.counterparty {
        None => {}
        Some(Counterparty::Address(typed)) => {
            other_id = accounts::find_by_address(db, typed).await?;
            address = Some(typed.to_string());
        }
        Some(Counterparty::OfTransfer(id)) => {
            if let Some(found) = store::find_counterparty(db, account_id, *id).await? {
                (other_id, address) = (found.account_id, found.address);
                picked = found.name.or_else(|| address.clone());
            }
        }
    }
    if filter.counterparty.is_some() && other_id.is_none() && address.is_none() {
        return Ok(ListedTransfers::default());
    }
    let other = (other_id, address.as_deref());
    let rows = store::list(db, account_id, filter, other, after).await?;
    Ok(ListedTransfers { rows, picked })
}
