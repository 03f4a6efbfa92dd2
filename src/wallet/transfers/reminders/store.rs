//! SQL of reminders.

use crate::{
    accounts::AccountId, infra::postgres::Connection, wallet::transfers::model::TransferId,
};

/// Deletes at most `rows_max` reminders that are due, and returns their requests. Locked ones are
/// left to the next call.
pub(super) async fn take_reminders(
    tx: &mut Connection,
    rows_max: i64,
) -> Result<Vec<TransferId>, sqlx::Error> {
    sqlx::query_scalar!(
        r#"
        delete from transfer_reminders
        where transfer_id = any(array(
            select transfer_id from transfer_reminders
            where due_at <= now()
            order by due_at
            limit $1
            for update skip locked))
        returning transfer_id as "transfer_id: TransferId"
        "#,
        rows_max,
    )
    .fetch_all(tx)
    .await
}

/// Returns those of the requests that are open, with their receivers.
pub(super) async fn list_open_among(
    tx: &mut Connection,
    transfers: &[TransferId],
) -> Result<Vec<(TransferId, AccountId)>, sqlx::Error> {
    let rows = sqlx::query!(
        r#"
        select id as "id: TransferId", receiver_id as "receiver_id: AccountId"
        from transfers
        where id = any($1) and status = 'PENDING' and expires_at > clock_timestamp()
        "#,
        transfers as _,
    )
    .fetch_all(tx)
    .await?;
    Ok(rows.into_iter().map(|row| (row.id, row.receiver_id)).collect())
}
