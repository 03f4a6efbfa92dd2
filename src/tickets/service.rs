//! Issuing and voiding, as steps of the caller's transaction.

use super::{error::TicketError, model::TicketCode, store};
use crate::{accounts::AccountId, infra::postgres::Connection, reservation::ReservationItemId};

/// Issues one ticket for each seat and place of `items` (item, how many).
pub async fn issue(
    tx: &mut Connection,
    account_id: AccountId,
    items: &[(ReservationItemId, i32)],
) -> Result<Vec<TicketCode>, TicketError> {
    let item_ids: Vec<ReservationItemId> = items
        .iter()
        .flat_map(|(item_id, quantity)| {
            std::iter::repeat_n(*item_id, usize::try_from(*quantity).unwrap_or_default())
        })
        .collect();
    let codes: Vec<TicketCode> = item_ids.iter().map(|_| TicketCode::generate()).collect();
    store::insert_tickets(tx, account_id, &item_ids, &codes).await?;
    Ok(codes)
}

/// Voids every ticket of `items` (item, how many): all of them, or none when one of
/// them opened the door before.
pub async fn void(
    tx: &mut Connection,
    items: &[(ReservationItemId, i32)],
) -> Result<(), TicketError> {
    let item_ids: Vec<ReservationItemId> = items.iter().map(|(item_id, _)| *item_id).collect();
    let ticket_ids = store::lock_tickets(tx, &item_ids).await?;
    if let Some(used_at) = store::find_use(tx, &ticket_ids).await? {
        return Err(TicketError::Used { used_at });
    }
    let n_places: i64 = items.iter().map(|(_, quantity)| i64::from(*quantity)).sum();
    let n_voided = store::write_void(tx, &ticket_ids).await?;
    if i64::try_from(n_voided) == Ok(n_places) { Ok(()) } else { Err(TicketError::Inconsistent) }
}
