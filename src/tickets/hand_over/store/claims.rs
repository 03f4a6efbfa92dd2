//! SQL of claims.

use uuid::Uuid;

use crate::{
    accounts::{AccountId, AddressClaim},
    infra::postgres::{Connection, Pool},
    tickets::{hand_over::model::HandOverId, model::TicketId},
};

/// Lists pending offers after the last offer of the previous page that have no recipient and whose
/// address was confirmed by an account other than the sender's, in the order of their ids.
pub(crate) async fn list(
    db: &Pool,
    last: Option<(HandOverId, TicketId)>,
    rows_max: i64,
) -> Result<Vec<AddressClaim<(HandOverId, TicketId)>>, sqlx::Error> {
    let rows = sqlx::query!(
        r#"
        select h.id as "id!: HandOverId", h.ticket_id as "ticket_id!: TicketId",
               h.sender_id as "sender_id!: AccountId", a.id as "recipient_id!: AccountId"
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
        last.map_or(HandOverId(Uuid::nil()), |(id, _)| id) as _,
        rows_max,
    )
    .fetch_all(db)
    .await?;
    let claims = rows.into_iter().map(|row| AddressClaim {
        id: (row.id, row.ticket_id),
        sender_id: row.sender_id,
        receiver_id: row.recipient_id,
    });
    Ok(claims.collect())
}

/// Gives the offer of a locked ticket its recipient, if the account still has the address; returns
/// whether it did.
pub(crate) async fn write(
    tx: &mut Connection,
    id: HandOverId,
    recipient_id: AccountId,
) -> Result<bool, sqlx::Error> {
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
        id as _,
        recipient_id as _,
    )
    .execute(tx)
    .await?;
    Ok(written.rows_affected() == 1)
}
