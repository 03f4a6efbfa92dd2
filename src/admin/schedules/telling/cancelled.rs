//! Mails about a cancellation to accounts with unpaid places or wishes. The refund of an order tells the accounts that
//! have paid, and the end of a line the accounts in it.

use super::store;
use crate::{
    accounts::AccountId,
    admin::cancellation::store::CancelledPart,
    infra::{ids::new_id, postgres::Connection},
    outbox::{self, Message, SharedKeys},
};

/// Writes the mails about a part that is cancelled in this transaction, its row locked: one to each account, however
/// many of the performances it held or waited for. Performances that were cancelled before are left out.
pub(in crate::admin) async fn tell_cancelled(
    tx: &mut Connection,
    of: CancelledPart,
) -> Result<(), sqlx::Error> {
    let ended = store::lock_ended(tx, of).await?;
    let accounts = store::list_unpaid(tx, &ended).await?;
    let CancelledPart { program_id, schedule_id } = of;
    let keys = SharedKeys {
        order_key: format!("cancelled:{}:", schedule_id.map_or(program_id.0, |id| id.0)),
        dedupe_key: format!("performance-cancelled:{}:", new_id()),
    };
    for is_waiting in [false, true] {
        let mails_to = accounts.iter().filter(|account| account.holds != is_waiting);
        let mails_to: Vec<AccountId> = mails_to.map(|account| account.id).collect();
        let message = Message::PerformanceCancelled {
            program_id: program_id.0,
            schedule_id: schedule_id.map(|id| id.0),
            is_waiting,
        };
        outbox::write_to_all(tx, &mails_to, &message, &keys).await?;
    }
    Ok(())
}
