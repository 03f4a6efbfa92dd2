//! Tickets mailed once more to the accounts that hold them: by their own wish, or by staff.

use chrono::{DateTime, Utc};

use super::{error::TicketError, store};
use crate::{
    accounts::AccountId,
    infra::postgres::Connection,
    outbox::{self, Message, SharedKeys},
    reservation::ReservationId,
};

/// Length of a period of the clock in which an account gets the tickets of one performance once, in seconds.
const ONCE_IN_SECS: i64 = 600;

/// Mails the valid tickets of a reservation to the accounts that hold some, or to `holder` alone, each with all valid
/// tickets that it holds for the performance; returns the number of mails. Fails as [`TicketError::MailedLately`] if all of
/// them were written in this period before.
pub async fn mail_again(
    tx: &mut Connection,
    reservation_id: ReservationId,
    holder: Option<AccountId>,
    now: DateTime<Utc>,
) -> Result<u64, TicketError> {
    let held = store::list_holders(&mut *tx, reservation_id, holder).await?;
    if held.is_empty() {
        return Err(TicketError::NoneValid);
    }
    let period = now.timestamp().div_euclid(ONCE_IN_SECS);
    let mut n_accounts = 0;
    for (account_id, schedule_id) in held {
        let message = Message::TicketsAgain { schedule_id: schedule_id.0 };
        let keys = SharedKeys {
            order_key: format!("tickets-again:{schedule_id}:"),
            dedupe_key: format!("tickets-again:{schedule_id}:{period}:"),
        };
        n_accounts += outbox::write_to_all(tx, &[account_id], &message, &keys).await?;
    }
    match n_accounts {
        0 => Err(TicketError::MailedLately),
        n_accounts => Ok(n_accounts),
    }
}
