//! Claims of what waits for an address: an offer to an address that had no account is **claimed** for the first
//! account that confirms the address. The account gets the mails of any receiver; the sender sees
//! no difference.
//!
//! # Concurrency
//!
//! Instances race for the row of an offer; the loser finds it claimed. The account is read under a lock that its
//! deletion waits for.

use std::fmt::{Debug, Display};

use super::AccountId;
use crate::infra::{sweep::Sweep, throwaway};

/// Bounds of a look for offers to be claimed.
const WAITING: Sweep = Sweep { rows_max: 500, parts_max: 20 };

/// Offer without a receiver, and the account that has confirmed its address.
#[derive(Clone, Copy, Debug)]
pub struct AddressClaim<Id> {
    /// Offer.
    pub id: Id,
    /// Account that made it.
    pub sender_id: AccountId,
    /// Account that has the address.
    pub receiver_id: AccountId,
}

/// Claims the offers that `list` returns behind an id, with `claim`: one tick of a worker. Offers of a rehearsal
/// neither leave it nor come in from outside.
pub async fn claim_each<Id, F, L, C>(
    mut list: impl FnMut(Option<Id>, i64) -> L,
    claim: impl Fn(AddressClaim<Id>) -> C,
) -> Result<(), F>
where
    Id: Copy + Debug,
    F: Display,
    L: Future<Output = Result<Vec<AddressClaim<Id>>, F>>,
    C: Future<Output = Result<(), F>>,
{
    let claim = &claim;
    let list = |last: Option<AddressClaim<Id>>, rows_max| list(last.map(|last| last.id), rows_max);
    let each = |waiting: AddressClaim<Id>| async move {
        match throwaway::is_marked(waiting.sender_id.0)
            || throwaway::is_marked(waiting.receiver_id.0)
        {
            true => Ok(()),
            false => claim(waiting).await,
        }
    };
    WAITING.rows("what waits for an address could not be claimed", list, each).await
}
