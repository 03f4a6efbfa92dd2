//! Issuing and voiding tickets inside the caller's transaction.

use super::{
    error::TicketError,
    model::{Issued, TicketCode},
    store,
};
use crate::{accounts::AccountId, infra::postgres::Connection, reservation::ReservationItemId};

/// Makes one ticket per seat or place of `items` (item, number of places); [`issue`] writes them.
pub(crate) fn make(account_id: AccountId, items: &[(ReservationItemId, i32)]) -> Vec<Issued> {
    let tickets = items.iter().flat_map(|&(item_id, quantity)| {
        (1..=quantity).map(move |number| Issued {
            item_id,
            account_id,
            number,
            quantity,
            code: TicketCode::generate(),
        })
    });
    tickets.collect()
}

/// Issues the tickets of one reservation or of several.
pub(crate) async fn issue(tx: &mut Connection, tickets: &[Issued]) -> Result<(), TicketError> {
    Ok(store::insert_tickets(tx, tickets).await?)
}

/// Returns the codes of `tickets`.
pub(crate) fn codes_of(tickets: Vec<Issued>) -> Vec<TicketCode> {
    tickets.into_iter().map(|ticket| ticket.code).collect()
}

/// Effect of used tickets on voiding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Used {
    /// One used ticket refuses the voiding.
    RefuseAny,
    /// The voiding is refused only if every ticket was used; otherwise used tickets stay used.
    RefuseAll,
    /// Used tickets stay used.
    Keep,
}

/// Voids the unused tickets of `items` (item, number of places), or none if `used` refuses.
pub(crate) async fn void(
    tx: &mut Connection,
    items: &[(ReservationItemId, i32)],
    used: Used,
) -> Result<(), TicketError> {
    let item_ids: Vec<ReservationItemId> = items.iter().map(|(item_id, _)| *item_id).collect();
    let ticket_ids = store::lock_tickets(tx, &item_ids).await?;
    let n_places: i64 = items.iter().map(|(_, quantity)| i64::from(*quantity)).sum();
    let found = store::uses_of(tx, &ticket_ids).await?;
    let is_refused = match used {
        Used::RefuseAny => found.n_used > 0,
        Used::RefuseAll => found.n_used == n_places,
        Used::Keep => false,
    };
    if let (true, Some(used_at)) = (is_refused, found.first_at) {
        return Err(TicketError::Used { used_at });
    }
    let n_voided = i64::try_from(store::write_void(tx, &ticket_ids).await?);
    if n_voided == Ok(n_places - found.n_used) { Ok(()) } else { Err(TicketError::Inconsistent) }
}
