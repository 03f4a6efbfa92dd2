//! SQL of hand-overs. Callers that write one have locked its ticket.

pub(super) mod claims;
pub(super) mod lapsed;
pub(crate) mod unclaimed;
pub(crate) mod views;

use self::unclaimed::UnclaimedOffer;
use super::model::{
    HandOverId, HandOverStatus, LockedHandOver, LockedTicket, NewHandOver, TicketOffered,
};
use crate::{
    accounts::AccountId,
    events::EventId,
    infra::postgres::Connection,
    tickets::model::{TicketCode, TicketId},
};

/// Returns a ticket after its row was locked. The time must come from this separate statement: in the
/// locking statement it would precede the wait.
pub(super) async fn locked_ticket_of(
    tx: &mut Connection,
    ticket_id: TicketId,
) -> Result<LockedTicket, sqlx::Error> {
    sqlx::query_as!(
        LockedTicket,
        r#"
        select t.account_id as "holder_id: _", t.status as "status: _",
               (p.status = 'CANCELLED' or d.cancelled_at is not null) as "is_cancelled!",
               d.starts_at <= clock_timestamp() as "has_begun!",
               p.join_confirmed_address as asks_for_confirmed,
               (select count(*) from ticket_holder_changes c
                where c.ticket_id = t.id) as "n_changes!",
               exists (select from ticket_returns
                       where ticket_id = t.id and status = 'OPEN' offset 0) as "is_on_return!"
        from tickets t
        join reservation_items i on i.id = t.reservation_item_id
        join reservations r on r.id = i.reservation_id
        join programs p on p.id = r.program_id
        join schedules d on d.id = r.schedule_id
        where t.id = $1
        "#,
        ticket_id as _,
    )
    .fetch_one(tx)
    .await
}

/// Locks the account of a sender, so that its hand-overs are counted one after the other.
pub(super) async fn lock_sender(tx: &mut Connection, id: AccountId) -> Result<(), sqlx::Error> {
    sqlx::query!("select from accounts where id = $1 for no key update", id as _)
        .fetch_optional(tx)
        .await?;
    Ok(())
}

/// Counts the pending hand-overs of one sender that have not passed their end, at most `rows_max`.
pub(super) async fn count_pending(
    tx: &mut Connection,
    sender_id: AccountId,
    rows_max: i64,
) -> Result<i64, sqlx::Error> {
    sqlx::query_scalar!(
        r#"
        select count(*) as "count!"
        from (
            select from ticket_hand_overs
            where sender_id = $1 and status = 'PENDING' and expires_at > clock_timestamp()
            limit $2
        ) pending
        "#,
        sender_id as _,
        rows_max,
    )
    .fetch_one(tx)
    .await
}

/// Counts the hand-overs of one sender in the last hour, whatever their outcome: at most
/// `rows_max`.
pub(super) async fn count_offered_lately(
    tx: &mut Connection,
    sender_id: AccountId,
    rows_max: i64,
) -> Result<i64, sqlx::Error> {
    sqlx::query_scalar!(
        r#"
        select count(*) as "count!"
        from (
            select created_at from ticket_hand_overs where sender_id = $1 order by id desc limit $2
        ) newest
        where created_at > clock_timestamp() - interval '1 hour'
        "#,
        sender_id as _,
        rows_max,
    )
    .fetch_one(tx)
    .await
}

/// Inserts a pending hand-over, which ends when its time is over or its performance starts. Returns
/// it with its recipient; `None` if the account was deleted since it was looked up.
pub(super) async fn insert_hand_over(
    tx: &mut Connection,
    new: &NewHandOver<'_>,
) -> Result<(TicketOffered, Option<AccountId>), sqlx::Error> {
    let row = sqlx::query!(
        r#"
        with recipient as (
            select id from accounts where id = $4 and deleted_at is null for key share
        )
        insert into ticket_hand_overs
            (id, ticket_id, sender_id, recipient_id, address, expires_at)
        select $1, t.id, $3, (select id from recipient), $5,
            least(clock_timestamp() + make_interval(secs => $6), d.starts_at)
        from tickets t
        join reservation_items i on i.id = t.reservation_item_id
        join schedules d on d.id = i.schedule_id
        where t.id = $2
        returning expires_at, recipient_id as "recipient_id: AccountId"
        "#,
        new.id as _,
        new.ticket_id as _,
        new.sender_id as _,
        new.recipient_id as _,
        new.address.as_str(),
        new.ttl_secs,
    )
    .fetch_one(tx)
    .await?;
    let offered = TicketOffered { hand_over_id: new.id, expires_at: row.expires_at };
    Ok((offered, row.recipient_id))
}

/// Returns the ticket of a hand-over, which never changes; `None` if the hand-over does not exist.
pub(super) async fn find_ticket_of(
    tx: &mut Connection,
    id: HandOverId,
) -> Result<Option<TicketId>, sqlx::Error> {
    sqlx::query_scalar!(
        r#"select ticket_id as "ticket_id: TicketId" from ticket_hand_overs where id = $1"#,
        id as _,
    )
    .fetch_optional(tx)
    .await
}

/// Reads a hand-over after its ticket was locked, with the time after the wait.
pub(super) async fn locked_hand_over_of(
    tx: &mut Connection,
    id: HandOverId,
) -> Result<LockedHandOver, sqlx::Error> {
    sqlx::query_as!(
        LockedHandOver,
        r#"
        select id as "id: _", ticket_id as "ticket_id: _", sender_id as "sender_id: _",
               recipient_id as "recipient_id: _", status as "status: _",
               expires_at <= clock_timestamp() as "is_lapsed!"
        from ticket_hand_overs
        where id = $1
        "#,
        id as _,
    )
    .fetch_one(tx)
    .await
}

/// Reads the pending hand-over of a locked ticket, with the time after the wait; `None` without one.
pub(super) async fn find_pending_of(
    tx: &mut Connection,
    ticket_id: TicketId,
) -> Result<Option<LockedHandOver>, sqlx::Error> {
    sqlx::query_as!(
        LockedHandOver,
        r#"
        select id as "id: _", ticket_id as "ticket_id: _", sender_id as "sender_id: _",
               recipient_id as "recipient_id: _", status as "status: _",
               expires_at <= clock_timestamp() as "is_lapsed!"
        from ticket_hand_overs
        where ticket_id = $1 and status = 'PENDING'
        "#,
        ticket_id as _,
    )
    .fetch_optional(tx)
    .await
}

/// Whether an account's e-mail address is confirmed.
pub(super) async fn has_confirmed_address(
    tx: &mut Connection,
    id: AccountId,
) -> Result<bool, sqlx::Error> {
    sqlx::query_scalar!(
        r#"select email_confirmed_at is not null as "is!" from accounts where id = $1"#,
        id as _,
    )
    .fetch_one(tx)
    .await
}

/// Ends the pending hand-overs of locked tickets as `status`, or as expired if they have passed
/// their end, and returns them in their new state, and the offers among them to addresses without an account: the
/// address is gone from then on.
pub(super) async fn write_ended(
    tx: &mut Connection,
    ticket_ids: &[TicketId],
    status: HandOverStatus,
) -> Result<(Vec<LockedHandOver>, Vec<UnclaimedOffer>), sqlx::Error> {
    let rows = sqlx::query!(
        r#"
        with pending as materialized (
            select h.id, h.address, a.locale
            from (
                select id, address, sender_id from ticket_hand_overs
                where ticket_id = any($1) and status = 'PENDING' offset 0
            ) h
            cross join lateral (
                select coalesce(mail_locale, locale) as locale from accounts where id = h.sender_id offset 0
            ) a
        )
        update ticket_hand_overs o
        set status = case when expires_at <= clock_timestamp() then 'EXPIRED' else $2 end,
            settled_at = clock_timestamp(), address = null
        from pending
        where o.id = pending.id and o.status = 'PENDING'
        returning o.id as "id: HandOverId", ticket_id as "ticket_id: TicketId",
            sender_id as "sender_id: AccountId", recipient_id as "recipient_id: AccountId",
            status as "status: HandOverStatus", expires_at <= clock_timestamp() as "is_lapsed!",
            pending.address as "address!", pending.locale as "locale!"
        "#,
        ticket_ids as _,
        status as _,
    )
    .fetch_all(tx)
    .await?;
    let unclaimed = rows.iter().filter(|row| row.recipient_id.is_none());
    let unclaimed =
        unclaimed.filter_map(|row| UnclaimedOffer::of(row.id, &row.address, &row.locale)).collect();
    let ended = rows.into_iter().map(|row| LockedHandOver {
        id: row.id,
        ticket_id: row.ticket_id,
        sender_id: row.sender_id,
        recipient_id: row.recipient_id,
        status: row.status,
        is_lapsed: row.is_lapsed,
    });
    Ok((ended.collect(), unclaimed))
}

/// Records an accepted hand-over in the history of its ticket, whose old code is void from then on,
/// and writes the event if a webhook endpoint asks for it.
pub(super) async fn insert_holder_change(
    tx: &mut Connection,
    hand_over: &LockedHandOver,
) -> Result<(), sqlx::Error> {
    sqlx::query!(
        r#"
        with changed as (
            insert into ticket_holder_changes
                (hand_over_id, ticket_id, number, code_hash, changed_at)
            select h.id, t.id,
                1 + (select count(*) from ticket_holder_changes where ticket_id = t.id),
                sha256(convert_to(t.code, 'UTF8')), h.settled_at
            from ticket_hand_overs h
            join tickets t on t.id = h.ticket_id
            where h.id = $1
            returning ticket_id, number, changed_at
        )
        insert into domain_events (id, subject_id, kind, payload)
        select $2::uuid, changed.ticket_id, 'ticket.handed-over', jsonb_build_object(
            'ticket_id', changed.ticket_id, 'reservation_id', r.id, 'program_id', r.program_id,
            'schedule_id', r.schedule_id, 'number', changed.number,
            'handed_over_at', changed.changed_at)
        from changed
        join tickets t on t.id = changed.ticket_id
        join reservation_items i on i.id = t.reservation_item_id
        join reservations r on r.id = i.reservation_id
        where exists (
                select from webhook_endpoints
                where deleted_at is null and kinds @> array['ticket.handed-over'])
            and not is_throwaway(r.program_id)
        "#,
        hand_over.id as _,
        EventId::new() as _,
    )
    .execute(tx)
    .await?;
    Ok(())
}

/// Gives a locked, valid ticket to `to` with a new code; returns whether the sender held it.
pub(super) async fn write_holder(
    tx: &mut Connection,
    hand_over: &LockedHandOver,
    to: AccountId,
    code: &TicketCode,
) -> Result<bool, sqlx::Error> {
    let written = sqlx::query!(
        r#"
        update tickets set account_id = $3, code = $4
        where id = $1 and account_id = $2 and status = 'VALID'
        "#,
        hand_over.ticket_id as _,
        hand_over.sender_id as _,
        to as _,
        code as _,
    )
    .execute(tx)
    .await?;
    Ok(written.rows_affected() == 1)
}
