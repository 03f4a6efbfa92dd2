//! SQL of claims.

use crate::{
    accounts::AccountId,
    infra::postgres::{Connection, Pool},
    tickets::{hand_over::model::HandOverId, model::TicketId},
};

/// Offer without a recipient, and the account that has confirmed its address.
#[derive(Clone, Copy, Debug)]
pub(crate) struct HandOverClaim {
    pub(crate) id: HandOverId,
    pub(crate) ticket_id: TicketId,
    pub(crate) sender_id: AccountId,
    pub(crate) recipient_id: AccountId,
}

/// Lists pending offers after `after` that have no recipient and whose address was confirmed by an
/// account other than the sender's, in the order of their ids.
pub(crate) async fn list(
    db: &Pool,
    after: HandOverId,
    rows_max: i64,
) -> Result<Vec<HandOverClaim>, sqlx::Error> {
    sqlx::query_as!(
        HandOverClaim,
        r#"
        select h.id as "id!: _", h.ticket_id as "ticket_id!: _", h.sender_id as "sender_id!: _",
               a.id as "recipient_id!: _"
        from ticket_hand_overs h
        cross join lateral (
            select id from accounts
            where email = h.address and email_confirmed_at is not null and deleted_at is null
            limit 1
        ) a
        where h.recipient_id is null and h.status = 'PENDING' and h.expires_at > clock_timestamp()
            and a.id <> h.sender_id and h.id > $1
        order by h.id
        limit $2
        "#,
        after as _,
        rows_max,
    )
    .fetch_all(db)
    .await
}

/// Gives the offer of a locked ticket its recipient, if the account still has the address; returns
/// whether it did.
pub(crate) async fn write(tx: &mut Connection, claim: &HandOverClaim) -> Result<bool, sqlx::Error> {
    let written = sqlx::query!(
        r#"
        with recipient as (
            select id, email from accounts
            where id = $2 and email_confirmed_at is not null and deleted_at is null
            for key share
        )
        update ticket_hand_overs h
        set recipient_id = recipient.id
        from recipient
        where h.id = $1 and h.address = recipient.email and h.recipient_id is null
            and h.status = 'PENDING' and h.expires_at > clock_timestamp()
        "#,
        claim.id as _,
        claim.recipient_id as _,
    )
    .execute(tx)
    .await?;
    Ok(written.rows_affected() == 1)
}
