//! SQL of exchanges.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use sqlx::types::Json;
use uuid::Uuid;

use super::model::OpenExchange;
use crate::{
    accounts::AccountId,
    catalog::ProgramId,
    infra::postgres::Connection,
    points::Points,
    reservation::{ExchangeId, ReservationId},
    tickets::TicketCode,
};

/// Locks the open exchange of an account in a program; `None` without one.
pub(super) async fn lock_open_of(
    tx: &mut Connection,
    account_id: AccountId,
    program_id: ProgramId,
) -> Result<Option<OpenExchange>, sqlx::Error> {
    sqlx::query_as!(
        OpenExchange,
        r#"
        select id as "id: ExchangeId", account_id as "account_id: AccountId", program_id as "program_id: ProgramId",
            fee as "fee: Points", is_by_staff
        from exchanges
        where account_id = $1 and program_id = $2 and status = 'OPEN'
        for no key update
        "#,
        account_id as _,
        program_id as _,
    )
    .fetch_optional(tx)
    .await
}

/// Returns the program of an exchange of an account, and the order of its tickets; `None` if the account has no such
/// exchange.
pub(super) async fn find_own(
    tx: &mut Connection,
    account_id: AccountId,
    id: ExchangeId,
) -> Result<Option<(ProgramId, ReservationId)>, sqlx::Error> {
    let found = sqlx::query!(
        r#"
        select program_id as "program_id: ProgramId", from_id as "from_id: ReservationId" from exchanges
        where id = $1 and account_id = $2
        "#,
        id as _,
        account_id as _,
    );
    Ok(found.fetch_optional(tx).await?.map(|row| (row.program_id, row.from_id)))
}

/// Returns the order of the tickets of an open exchange, read without a lock; `None` once it has ended.
pub(super) async fn find_open_order(
    tx: &mut Connection,
    id: ExchangeId,
) -> Result<Option<ReservationId>, sqlx::Error> {
    sqlx::query_scalar!(
        r#"
        select from_id as "from_id: ReservationId"
        from (select from_id, status from exchanges where id = $1 offset 0) own
        where status = 'OPEN'
        "#,
        id as _,
    )
    .fetch_optional(tx)
    .await
}

/// Locks an exchange if it is open.
pub(super) async fn lock_open(
    tx: &mut Connection,
    id: ExchangeId,
) -> Result<Option<OpenExchange>, sqlx::Error> {
    sqlx::query_as!(
        OpenExchange,
        r#"
        select id as "id: ExchangeId", account_id as "account_id: AccountId", program_id as "program_id: ProgramId",
            fee as "fee: Points", is_by_staff
        from (select * from exchanges where id = $1 offset 0 for no key update) locked
        where status = 'OPEN'
        "#,
        id as _,
    )
    .fetch_optional(tx)
    .await
}

/// Lists the codes of the tickets of an open exchange, as they are now; none once it has ended.
pub(super) async fn list_codes(
    tx: &mut Connection,
    id: ExchangeId,
) -> Result<Vec<TicketCode>, sqlx::Error> {
    sqlx::query_scalar!(
        r#"
        select t.code as "code: TicketCode"
        from (select id, status from exchanges where id = $1 offset 0) x
        cross join lateral (select ticket_id from exchanged_tickets where exchange_id = x.id offset 0) e
        cross join lateral (select id, code from tickets where id = e.ticket_id offset 0) t
        where x.status = 'OPEN'
        order by t.id
        "#,
        id as _,
    )
    .fetch_all(tx)
    .await
}

/// Inserts an open exchange of tickets of an order.
pub(super) async fn insert(
    tx: &mut Connection,
    open: &OpenExchange,
    from_id: ReservationId,
    ticket_ids: &[Uuid],
) -> Result<(), sqlx::Error> {
    sqlx::query!(
        r#"
        with open as (
            insert into exchanges (id, account_id, program_id, from_id, fee, is_by_staff)
            values ($1, $2, $3, $4, $5, $6)
        )
        insert into exchanged_tickets (exchange_id, ticket_id)
        select $1, ticket_id from unnest($7::uuid[]) as given (ticket_id)
        "#,
        open.id as _,
        open.account_id as _,
        open.program_id as _,
        from_id as _,
        open.fee as _,
        open.is_by_staff,
        ticket_ids,
    )
    .execute(tx)
    .await?;
    Ok(())
}

/// Ends a locked exchange that is open: as done by the payment of `to_id`, or without one.
pub(super) async fn write_ended(
    tx: &mut Connection,
    id: ExchangeId,
    to_id: Option<ReservationId>,
) -> Result<u64, sqlx::Error> {
    let written = sqlx::query!(
        r#"
        update exchanges
        set status = case when $2::uuid is null then 'ENDED' else 'DONE' end, to_id = $2,
            settled_at = clock_timestamp()
        where id = $1
        "#,
        id as _,
        to_id as _,
    )
    .execute(tx)
    .await?;
    Ok(written.rows_affected())
}

/// Ends the open exchanges of an account that is deleted; it has no holds.
pub async fn end_all_of(tx: &mut Connection, account_id: AccountId) -> Result<(), sqlx::Error> {
    sqlx::query!(
        r#"
        update exchanges set status = 'ENDED', settled_at = clock_timestamp()
        where account_id = $1 and status = 'OPEN'
        "#,
        account_id as _,
    )
    .execute(tx)
    .await?;
    Ok(())
}

/// Finds a hold that was made in an exchange and has not ended, or gets back the time in which the office was away.
pub(super) async fn find_hold(
    tx: &mut Connection,
    id: ExchangeId,
) -> Result<Option<ReservationId>, sqlx::Error> {
    sqlx::query_scalar!(
        r#"
        select id as "id: ReservationId" from reservations
        where exchange_id = $1 and status = 'HELD'
            and (expires_at > clock_timestamp() or not is_office_awake())
        limit 1
        "#,
        id as _,
    )
    .fetch_optional(tx)
    .await
}

/// Terms of the refund of an order, as they are kept.
pub(super) struct KeptTerms {
    pub(super) total: Points,
    /// Share of its only step, in percent (0-100), where it has no list of steps.
    pub(super) refund_percent: i32,
    pub(super) refund_steps: Option<Json<Vec<KeptStep>>>,
}

/// Step of the terms of an order, as it is kept, with what is only read where it holds.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct KeptStep {
    pub(super) percent: i32,
    pub(super) fee: Points,
    #[serde(flatten)]
    pub(super) rest: serde_json::Map<String, Value>,
}

/// Returns the terms of a locked order.
pub(super) async fn terms_of(
    tx: &mut Connection,
    id: ReservationId,
) -> Result<KeptTerms, sqlx::Error> {
    sqlx::query_as!(
        KeptTerms,
        r#"
        select total as "total: Points", refund_percent, refund_steps as "refund_steps: Json<Vec<KeptStep>>"
        from reservations
        where id = $1
        "#,
        id as _,
    )
    .fetch_one(tx)
    .await
}

/// Writes other terms of the refund of a locked order.
pub(super) async fn write_terms(
    tx: &mut Connection,
    id: ReservationId,
    terms: &KeptTerms,
) -> Result<(), sqlx::Error> {
    sqlx::query!(
        r#"
        update reservations r
        set refund_percent = $2, refund_steps = $3, version = r.version + 1
        from (select id, version from reservations where id = $1) locked
        where r.id = locked.id and r.version = locked.version
        "#,
        id as _,
        terms.refund_percent,
        terms.refund_steps as _,
    )
    .execute(tx)
    .await?;
    Ok(())
}
