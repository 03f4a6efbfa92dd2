//! SQL of tickets that were sold on, as mails describe them.

use uuid::Uuid;

use crate::{infra::postgres::Pool, points::Points};

/// Sale of a ticket that was on return.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SaleTold {
    /// Id of the seller's ticket.
    pub ticket_id: Uuid,
    /// Points that came back.
    pub payout: Points,
}

/// Returns the sale of a return; `None` if it was not sold.
pub(crate) async fn find(db: &Pool, return_id: Uuid) -> Result<Option<SaleTold>, sqlx::Error> {
    sqlx::query_as!(
        SaleTold,
        r#"
        select ticket_id, payout as "payout: Points" from ticket_returns
        where id = $1 and status = 'SOLD'
        "#,
        return_id,
    )
    .fetch_optional(db)
    .await
}
