//! SQL of a transfer that starts later.

use crate::infra::{ids::new_id, postgres::Connection};

/// Inserts a transfer from one address to another that starts in a week. The sender's wallet has had
/// one charge and nothing else.
pub(crate) async fn plan_transfer(
    tx: &mut Connection,
    sender: &str,
    receiver: &str,
    points: i64,
) -> Result<(), sqlx::Error> {
    const VERSION: i64 = 1;
    sqlx::query!(
        r#"
        with made as (
            insert into transfers (id, sender_id, receiver_id, address, amount, starts_at, expires_at)
            select $4, s.id, r.id, r.email, $3, now() + interval '7 days', now() + interval '10 days'
            from accounts s, accounts r where s.email = $1 and r.email = $2
            returning id as transfer_id, sender_id, status, starts_at
        ), reminded as (
            insert into transfer_reminders (transfer_id, due_at)
            select transfer_id, starts_at from made
        ), noted as (
            insert into transfer_status_history (transfer_id, version, status)
            select transfer_id, 0, status from made
        ), withheld as (
            update wallets set pending = pending + $3, version = version + 1
            from made where account_id = sender_id and version = $5
            returning wallets.id, version, balance, transfer_id
        )
        insert into point_transactions
            (id, wallet_id, wallet_version, kind, amount, pending_change, balance_after, reference_id)
        select gen_random_uuid(), id, version, 'TRANSFER_HOLD', 0, $3, balance, transfer_id
        from withheld
        "#,
        sender,
        receiver,
        points,
        new_id(),
        VERSION,
    )
    .execute(tx)
    .await?;
    Ok(())
}
