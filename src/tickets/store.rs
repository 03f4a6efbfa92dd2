//! SQL of tickets.

use chrono::{DateTime, Utc};
use sqlx::types::Json;
use uuid::Uuid;

use super::model::{Issued, Ticket, TicketCode, TicketId, TicketStatus};
use crate::{
    accounts::AccountId,
    catalog::{ScheduleId, SeatKind, ToldNote},
    infra::{
        ids::new_id,
        postgres::{Connection, Pool, page::PAGE_ROWS},
    },
    reservation::{ReservationId, ReservationItemId, ReturnId},
};

/// Columns of tickets to be written.
#[derive(Debug)]
pub(crate) struct NewTickets<'a> {
    pub ids: Vec<Uuid>,
    pub item_ids: Vec<Uuid>,
    pub accounts: Vec<AccountId>,
    pub numbers: Vec<i32>,
    pub quantities: Vec<i32>,
    pub codes: Vec<&'a str>,
}

impl<'a> NewTickets<'a> {
    /// Returns the columns of `issued`.
    pub(crate) fn of(issued: &'a [Issued]) -> Self {
        Self {
            ids: issued.iter().map(|_| new_id()).collect(),
            item_ids: issued.iter().map(|ticket| ticket.item_id.0).collect(),
            accounts: issued.iter().map(|ticket| ticket.account_id).collect(),
            numbers: issued.iter().map(|ticket| ticket.number).collect(),
            quantities: issued.iter().map(|ticket| ticket.quantity).collect(),
            codes: issued.iter().map(|ticket| ticket.code.as_str()).collect(),
        }
    }
}

pub(crate) async fn insert_tickets(
    tx: &mut Connection,
    issued: &[Issued],
) -> Result<(), sqlx::Error> {
    let NewTickets { ids, item_ids, accounts, numbers, quantities, codes } = NewTickets::of(issued);
    sqlx::query!(
        r#"
        insert into tickets (id, reservation_item_id, number, item_quantity, account_id, code)
        select id, item_id, number, quantity, account_id, code
        from unnest($1::uuid[], $2::uuid[], $3::integer[], $4::integer[], $5::text[], $6::uuid[])
            as issued (id, item_id, number, quantity, code, account_id)
        "#,
        &ids,
        &item_ids,
        &numbers,
        &quantities,
        &codes as _,
        accounts as _,
    )
    .execute(tx)
    .await?;
    Ok(())
}

/// Locks the ticket with this code; `None` if there is none, or if the code was replaced during a
/// wait.
pub(crate) async fn lock_by_code(
    tx: &mut Connection,
    code: &TicketCode,
) -> Result<Option<TicketId>, sqlx::Error> {
    sqlx::query_scalar!(
        r#"select id as "id: TicketId" from tickets where code = $1 for no key update"#,
        code as _,
    )
    .fetch_optional(tx)
    .await
}

/// Locks the tickets with these codes, in the order of their ids; those whose code was replaced during a wait are left
/// out.
pub(crate) async fn lock_by_codes(
    tx: &mut Connection,
    codes: &[TicketCode],
) -> Result<Vec<TicketId>, sqlx::Error> {
    sqlx::query_scalar!(
        r#"
        select id as "id: TicketId" from tickets where code = any($1) order by id for no key update
        "#,
        codes as _,
    )
    .fetch_all(tx)
    .await
}

/// Locks a ticket, if it exists.
pub(crate) async fn lock(tx: &mut Connection, ticket_id: TicketId) -> Result<(), sqlx::Error> {
    sqlx::query!("select id from tickets where id = $1 for no key update", ticket_id as _)
        .fetch_optional(tx)
        .await?;
    Ok(())
}

/// Locks a ticket like [`lock`], but returns `false` for one that is locked already.
pub(crate) async fn lock_free(
    tx: &mut Connection,
    ticket_id: TicketId,
) -> Result<bool, sqlx::Error> {
    let locked = sqlx::query!(
        "select from tickets where id = $1 for no key update skip locked",
        ticket_id as _,
    );
    Ok(locked.fetch_optional(tx).await?.is_some())
}

/// Locks every ticket of the items, in id order.
pub(crate) async fn lock_tickets(
    tx: &mut Connection,
    item_ids: &[ReservationItemId],
) -> Result<Vec<TicketId>, sqlx::Error> {
    sqlx::query_scalar!(
        r#"
        select id as "id: TicketId"
        from tickets
        where reservation_item_id = any($1)
        order by id
        for no key update
        "#,
        item_ids as _,
    )
    .fetch_all(tx)
    .await
}

/// Locks tickets, in id order.
pub(crate) async fn lock_all(
    tx: &mut Connection,
    ticket_ids: &[TicketId],
) -> Result<(), sqlx::Error> {
    sqlx::query!(
        "select id from tickets where id = any($1) order by id for no key update",
        ticket_ids as _,
    )
    .fetch_all(tx)
    .await?;
    Ok(())
}

/// Uses and hand-overs that may keep tickets from being voided.
pub(crate) struct Uses {
    pub(crate) n_used: i64,
    /// Time of the earliest check-in.
    pub(crate) first_at: Option<DateTime<Utc>>,
    /// Tickets held by another account than the owner of their reservation.
    pub(crate) n_away: i64,
    /// Tickets with a pending hand-over.
    pub n_offered: i64,
    /// Tickets that are void because the account of their holder was deleted (`gone_holders`).
    pub(crate) n_gone: i64,
}

/// Counts the locked tickets of a reservation of `owner_id` that are used, held by another account,
/// offered, or void although their place was not sold on.
pub(crate) async fn uses_of(
    tx: &mut Connection,
    owner_id: AccountId,
    ticket_ids: &[TicketId],
) -> Result<Uses, sqlx::Error> {
    sqlx::query_as!(
        Uses,
        r#"
        select count(*) filter (where status = 'USED') as "n_used!", min(used_at) as first_at,
               count(*) filter (where account_id <> $2 and status <> 'VOID') as "n_away!",
               (select count(*) from ticket_hand_overs
                where ticket_id = any($1) and status = 'PENDING'
                  and expires_at > clock_timestamp()) as "n_offered!",
               count(*) filter (where status = 'VOID' and not exists (
                   select from ticket_returns
                   where ticket_id = tickets.id and status = 'SOLD' offset 0)) as "n_gone!"
        from tickets
        where id = any($1)
        "#,
        ticket_ids as _,
        owner_id as _,
    )
    .fetch_one(tx)
    .await
}

/// Voids the valid tickets among `ticket_ids`; returns them with their holders.
pub(crate) async fn write_void(
    tx: &mut Connection,
    ticket_ids: &[TicketId],
) -> Result<Vec<(TicketId, AccountId)>, sqlx::Error> {
    let rows = sqlx::query!(
        r#"
        update tickets set status = 'VOID' where id = any($1) and status = 'VALID'
        returning id as "id: TicketId", account_id as "account_id: AccountId"
        "#,
        ticket_ids as _,
    )
    .fetch_all(tx)
    .await?;
    Ok(rows.into_iter().map(|row| (row.id, row.account_id)).collect())
}

/// Lists an account's tickets, newest first, after the ticket `after`: one page and one row more. A
/// `code` limits the list to that ticket.
pub(crate) async fn list_tickets(
    db: &Pool,
    account_id: AccountId,
    code: Option<&TicketCode>,
    after: Option<Uuid>,
) -> Result<Vec<Ticket>, sqlx::Error> {
    select(db, Which { of_account: Some((account_id, code, after)), ..Which::default() }).await
}

/// Returns a ticket of any holder; `None` if it does not exist.
pub(crate) async fn find_ticket(
    db: &Pool,
    ticket_id: TicketId,
) -> Result<Option<Ticket>, sqlx::Error> {
    let which = Which { ticket_ids: &[ticket_id], ..Which::default() };
    Ok(select(db, which).await?.pop())
}

/// Lists the tickets of one reservation, in the order of issue; an account may not buy more than a
/// thousand (`programs_places_per_account_max_range`).
pub async fn list_of_reservation(
    db: &Pool,
    reservation_id: ReservationId,
) -> Result<Vec<Ticket>, sqlx::Error> {
    let which = Which { reservation_id: Some(reservation_id), ..Which::default() };
    let mut tickets = select(db, which).await?;
    tickets.reverse();
    Ok(tickets)
}

/// Lists the tickets that the account with the address `email` holds for one performance, in the order of
/// issue, at most a thousand.
pub(crate) async fn list_of_holder(
    db: &Pool,
    email: &str,
    schedule_id: ScheduleId,
) -> Result<Vec<Ticket>, sqlx::Error> {
    let ticket_ids: Vec<TicketId> = sqlx::query_scalar!(
        r#"
        select t.id as "id: TicketId" from accounts
        join tickets t on t.account_id = accounts.id
        join reservation_items i on i.id = t.reservation_item_id
        join reservations r on r.id = i.reservation_id
        where email = $1 and r.schedule_id = $2
        limit 1000
        "#,
        email,
        schedule_id as _,
    )
    .fetch_all(db)
    .await?;
    let which = Which { ticket_ids: &ticket_ids, ..Which::default() };
    let mut tickets = select(db, which).await?;
    tickets.reverse();
    Ok(tickets)
}

/// Lists the accounts that hold valid tickets of a reservation, or `holder` alone if it does, with the performance.
pub(crate) async fn list_holders(
    tx: &mut Connection,
    reservation_id: ReservationId,
    holder: Option<AccountId>,
) -> Result<Vec<(AccountId, ScheduleId)>, sqlx::Error> {
    let rows = sqlx::query!(
        r#"
        select distinct t.account_id as "account_id: AccountId", i.schedule_id as "schedule_id: ScheduleId"
        from (
            select id, schedule_id from reservation_items where reservation_id = $1 offset 0
        ) i
        cross join lateral (
            select account_id from tickets
            where reservation_item_id = i.id and status = 'VALID'
                and ($2::uuid is null or account_id = $2)
            offset 0
        ) t
        order by 1
        "#,
        reservation_id as _,
        holder as _,
    )
    .fetch_all(tx)
    .await?;
    Ok(rows.into_iter().map(|row| (row.account_id, row.schedule_id)).collect())
}

/// Tickets to be read; one of the fields is set.
#[derive(Clone, Copy, Debug, Default)]
struct Which<'a> {
    /// Account, with the code of one ticket, or the last ticket of the page before.
    of_account: Option<(AccountId, Option<&'a TicketCode>, Option<Uuid>)>,
    reservation_id: Option<ReservationId>,
    ticket_ids: &'a [TicketId],
}

/// Reads the tickets of `which`, newest first; a page of an account's. Each field has a branch of its own,
/// because a single plan for all would read the whole table.
async fn select(db: &Pool, which: Which<'_>) -> Result<Vec<Ticket>, sqlx::Error> {
    let Which { of_account, reservation_id, ticket_ids } = which;
    sqlx::query_file_as!(
        Ticket,
        "../../src/tickets/list.sql",
        of_account.map(|(account_id, _, _)| account_id) as _,
        of_account.and_then(|(_, code, _)| code).map(TicketCode::as_str),
        of_account.and_then(|(_, _, after)| after),
        PAGE_ROWS + 1,
        reservation_id as _,
        ticket_ids as _,
    )
    .fetch_all(db)
    .await
}

/// Returns a ticket; `None` if it does not exist.
pub(super) async fn find_by_id(db: &Pool, id: TicketId) -> Result<Option<Ticket>, sqlx::Error> {
    let which = Which { ticket_ids: &[id], ..Which::default() };
    Ok(select(db, which).await?.pop())
}

/// Returns the ticket that a return was of; `None` if there is none.
pub(super) async fn find_returned(
    db: &Pool,
    id: ReturnId,
) -> Result<Option<TicketId>, sqlx::Error> {
    sqlx::query_scalar!(
        r#"select ticket_id as "id: TicketId" from ticket_returns where id = $1"#,
        id as _,
    )
    .fetch_optional(db)
    .await
}

/// Whether `account_id` holds a ticket with this code.
pub(crate) async fn is_owned(
    db: &Pool,
    account_id: AccountId,
    code: &TicketCode,
) -> Result<bool, sqlx::Error> {
    sqlx::query_scalar!(
        r#"select exists (select from tickets where code = $1 and account_id = $2) as "is_owned!""#,
        code as _,
        account_id as _,
    )
    .fetch_one(db)
    .await
}

/// Lists the codes of the tickets of one reservation that `holder_id` holds, in the order of issue.
pub(crate) async fn list_codes(
    db: &Pool,
    reservation_id: ReservationId,
    holder_id: AccountId,
) -> Result<Vec<TicketCode>, sqlx::Error> {
    sqlx::query_scalar!(
        r#"
        select t.code as "code: TicketCode"
        from tickets t
        join reservation_items i on i.id = t.reservation_item_id
        where i.reservation_id = $1 and t.account_id = $2
        order by t.id
        "#,
        reservation_id as _,
        holder_id as _,
    )
    .fetch_all(db)
    .await
}
