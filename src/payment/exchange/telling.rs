//! Mail and event of an exchange, written in the transaction of the payment.

use serde_json::json;

use super::model::TakenTickets;
use crate::{
    accounts::AccountId,
    events::{self, EventKind, NewEvent},
    infra::{postgres::Connection, throwaway},
    outbox::{self, AccountMail, Message},
    payment::telling::order_key,
    points::Points,
    reservation::{Held, returns::model::NewReturn},
};

/// Writes the mail to the account whose tickets were taken for the payment of a hold, and the event, which a rehearsal
/// has none of.
pub(super) async fn tell(
    tx: &mut Connection,
    account_id: AccountId,
    taken: &TakenTickets,
    held: &Held,
) -> Result<(), sqlx::Error> {
    let (id, from_id) = (taken.exchange_id, taken.from_id);
    let sum = |of: fn(&NewReturn) -> Points| Points::sum(taken.given.iter().map(of));
    let price = sum(|each| each.price).unwrap_or_default();
    let worth = sum(|each| each.payout).unwrap_or_default();
    let mail = AccountMail {
        account_id,
        message: Message::TicketsExchanged {
            reservation_id: held.reservation_id.0,
            from_id: from_id.0,
            tickets: taken.given.len(),
            worth,
        },
        order_key: order_key(held.reservation_id),
        dedupe_key: format!("exchanged:{id}"),
    };
    outbox::write_to_accounts(tx, &[mail]).await?;
    if throwaway::is_marked(held.program_id.0) {
        return Ok(());
    }
    let ticket_ids: Vec<_> = taken.given.iter().map(|each| each.place.ticket_id).collect();
    let payload = json!({
        "reservation_id": held.reservation_id, "program_id": held.program_id,
        "schedule_id": held.schedule_id, "from_reservation_id": from_id, "exchange_id": id,
        "ticket_ids": ticket_ids, "price": price, "worth": worth,
    });
    let (kind, subject_id) = (EventKind::ReservationExchanged, held.reservation_id.0);
    events::write(tx, &NewEvent { kind, subject_id, payload }).await
}
