//! Confirmation of a reservation by the last of its shares, inside the transaction that pays it.

use std::collections::BTreeMap;

use super::{
    error::ShareError,
    model::{LockedShare, Place, ShareId, SharePaid, ShareStatus},
    places::Places,
    store,
    telling::tell_paid,
};
use crate::{
    accounts::AccountId,
    entry_queue::{self, LiveToken},
    infra::postgres::Connection,
    payment::{
        error::PaymentError,
        refund::tickets_per_item,
        store::{NewPayment, insert_payments},
    },
    points::Points,
    reservation::{self, Held},
    tickets,
    wallet::{self, ShareOfPayer},
};

/// Hold with every place in a withheld share, and the rows that the transaction has locked.
pub(super) struct CoveredHold {
    pub(super) held: Held,
    /// The holder's stay in the queue.
    pub(super) token: Option<LiveToken>,
    pub(super) owner_id: AccountId,
    pub(super) places: Places,
    pub(super) live: Vec<LockedShare>,
    /// The last share, whose points are still to be withheld.
    pub(super) last: ShareOfPayer,
}

/// Confirms the reservation: each share becomes a payment, and its payer gets the tickets of its
/// places. Returns the result for the last payer.
pub(super) async fn confirm(
    tx: &mut Connection,
    covered: CoveredHold,
) -> Result<SharePaid, ShareError> {
    let CoveredHold { held, token, owner_id, places, live, last } = covered;
    let shares: Vec<ShareOfPayer> = live.iter().filter_map(LockedShare::withheld).collect();
    let total = Points::sum(shares.iter().map(|share| share.amount));
    if total != Some(held.total) {
        return Err(PaymentError::Inconsistent.into());
    }
    let ids: Vec<ShareId> = live.iter().map(|share| share.id).collect();
    let versions: Vec<i64> = live.iter().map(|share| share.version).collect();
    let n_written = store::write_paid(tx, &ids, &versions).await?;
    if u64::try_from(ids.len()) != Ok(n_written) {
        return Err(PaymentError::StaleVersion.into());
    }
    insert_payments(tx, &payments_of(&held, &live)).await?;
    let holders = places.payers(&payers_of(&live));
    let issued = tickets::make_for(&tickets_per_item(&held), |item_id, number| {
        holders.get(&Place { item_id, number }).copied()
    });
    let issued = issued.ok_or(PaymentError::Inconsistent)?;
    let (program_id, reservation_id) = (held.program_id, held.reservation_id);
    reservation::confirm(tx, &[held]).await?;
    tickets::issue(tx, &issued).await?;
    let others: Vec<ShareOfPayer> =
        shares.iter().filter(|share| share.share_id != last.share_id).copied().collect();
    let balance = wallet::settle_shares(tx, &last, &others).await?;
    // A holder with further holds to pay stays admitted.
    if let Some(token) = token
        && reservation::list_with_live_holds(tx, &[(program_id, owner_id)]).await?.is_empty()
    {
        entry_queue::complete(tx, &token).await?;
    }
    tell_paid(tx, owner_id, reservation_id, &shares).await?;
    let own = issued.into_iter().filter(|ticket| ticket.account_id == last.payer_id);
    Ok(SharePaid {
        share_id: ShareId(last.share_id),
        status: ShareStatus::Paid,
        amount: last.amount,
        balance,
        tickets: tickets::codes_of(own.collect()),
    })
}

/// Returns the payments of the shares, numbered from 1.
fn payments_of(held: &Held, live: &[LockedShare]) -> Vec<NewPayment> {
    let paid = live.iter().filter_map(|share| Some((share, share.payer_id?)));
    let numbered = paid.zip(1..).map(|((share, account_id), number)| NewPayment {
        id: share.id.into(),
        reservation_id: held.reservation_id,
        account_id,
        amount: share.amount,
        number,
    });
    numbered.collect()
}

fn payers_of(live: &[LockedShare]) -> BTreeMap<ShareId, AccountId> {
    live.iter().filter_map(|share| Some((share.id, share.payer_id?))).collect()
}
