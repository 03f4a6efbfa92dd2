//! Issuing and voiding tickets inside the caller's transaction.

use uuid::Uuid;

use super::{
    error::TicketError,
    hand_over::{self, model::HandOverStatus},
    model::{Issued, TicketCode, TicketId},
    store,
};
use crate::{
    accounts::AccountId,
    infra::postgres::Connection,
    outbox::{self, AccountMail, Message},
    reservation::ReservationItemId,
};

/// Makes one ticket per seat or place of `items` (item, number of places); [`issue`] writes them.
pub fn make(account_id: AccountId, items: &[(ReservationItemId, i32)]) -> Vec<Issued> {
    make_for(items, |_, _| Some(account_id)).unwrap_or_default()
}

/// Makes tickets like [`make`], each for the account that `holder_of` returns for its item and
/// number; `None` if `holder_of` returns `None` for one of them.
pub fn make_for(
    items: &[(ReservationItemId, i32)],
    holder_of: impl Fn(ReservationItemId, i32) -> Option<AccountId>,
) -> Option<Vec<Issued>> {
    let numbered = items.iter().flat_map(|&(item_id, quantity)| {
        (1..=quantity).map(move |number| (item_id, number, quantity))
    });
    let tickets = numbered.map(|(item_id, number, quantity)| {
        let account_id = holder_of(item_id, number)?;
        Some(Issued { item_id, account_id, number, quantity, code: TicketCode::generate() })
    });
    tickets.collect()
}

/// Issues the tickets of one reservation or of several.
pub async fn issue(tx: &mut Connection, tickets: &[Issued]) -> Result<(), TicketError> {
    Ok(store::insert_tickets(tx, tickets).await?)
}

/// Returns the codes of `tickets`.
pub fn codes_of(tickets: Vec<Issued>) -> Vec<TicketCode> {
    tickets.into_iter().map(|ticket| ticket.code).collect()
}

/// Rule for voiding tickets of which some are used, offered, or held by another account than the
/// owner.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Used {
    /// A ticket that was used, handed over or offered refuses the voiding.
    RefuseAny,
    /// The voiding is refused only if every ticket was used; otherwise used tickets stay used.
    RefuseAll,
    /// Used tickets stay used.
    Keep,
}

/// Voids the unused tickets of `items` (item, number of places) of a reservation of `owner_id`, or
/// none if `used` refuses. Ends their hand-overs, and mails the holders of the voided tickets,
/// except `payers`, whose mail is about the refund.
pub async fn void(
    tx: &mut Connection,
    owner_id: AccountId,
    items: &[(ReservationItemId, i32)],
    used: Used,
    payers: &[AccountId],
) -> Result<(), TicketError> {
    let item_ids: Vec<ReservationItemId> = items.iter().map(|(item_id, _)| *item_id).collect();
    let ticket_ids = store::lock_tickets(tx, &item_ids).await?;
    let n_places: i64 = items.iter().map(|(_, quantity)| i64::from(*quantity)).sum();
    let found = store::uses_of(tx, owner_id, &ticket_ids).await?;
    let is_refused = match used {
        Used::RefuseAny => found.n_used > 0,
        Used::RefuseAll => found.n_used == n_places,
        Used::Keep => false,
    };
    match (is_refused, found.first_at, used) {
        (true, Some(used_at), _) => return Err(TicketError::Used { used_at }),
        (.., Used::RefuseAny) if found.n_away > 0 => return Err(TicketError::HandedOver),
        (.., Used::RefuseAny) if found.n_offered > 0 => return Err(TicketError::Offered),
        _ => {}
    }
    hand_over::end(tx, &ticket_ids, HandOverStatus::Voided).await?;
    let voided = store::write_void(tx, &ticket_ids).await?;
    if i64::try_from(voided.len()) != Ok(n_places - found.n_used - found.n_gone) {
        return Err(TicketError::Inconsistent);
    }
    Ok(tell_voided(tx, payers, &voided).await?)
}

/// Voids resold tickets, in the transaction of the buyer's payment. They are valid, because a
/// check-in would have ended their returns.
pub async fn void_sold(tx: &mut Connection, ids: &[Uuid]) -> Result<(), TicketError> {
    let ticket_ids: Vec<TicketId> = ids.iter().copied().map(TicketId).collect();
    store::lock_all(tx, &ticket_ids).await?;
    let voided = store::write_void(tx, &ticket_ids).await?;
    if voided.len() == ticket_ids.len() { Ok(()) } else { Err(TicketError::Inconsistent) }
}

/// Writes the mails about voided tickets to their holders, except `payers`.
async fn tell_voided(
    tx: &mut Connection,
    payers: &[AccountId],
    voided: &[(TicketId, AccountId)],
) -> Result<(), sqlx::Error> {
    let away = voided.iter().filter(|(_, holder_id)| !payers.contains(holder_id));
    let mails: Vec<AccountMail> = away
        .map(|(ticket_id, holder_id)| AccountMail {
            account_id: *holder_id,
            message: Message::TicketVoided { ticket_id: ticket_id.0 },
            order_key: format!("ticket:{ticket_id}"),
            dedupe_key: format!("ticket-voided:{ticket_id}"),
        })
        .collect();
    outbox::write_to_accounts(tx, &mails).await
}
