//! SQL of tickets that are put back on sale.

use sqlx::PgExecutor;

use super::model::{ReturnTerms, ShownReturn};
use crate::{
    accounts::AccountId,
    catalog::{ScheduleId, ScheduleSeatId, ZoneId},
    infra::postgres::{Connection, Pool},
    points::Points,
    reservation::{
        ReservationId, ReservationItemId, ReturnId,
        returns::model::{ReturnStatus, TicketPlace},
    },
    tickets::model::{TicketCode, TicketId, TicketStatus},
};

/// Lists the places of the tickets with `codes`, read without a lock.
pub(super) async fn list_places(
    tx: &mut Connection,
    codes: &[TicketCode],
) -> Result<Vec<TicketPlace>, sqlx::Error> {
    sqlx::query_as!(
        TicketPlace,
        r#"
        select t.id as ticket_id, i.id as "item_id: ReservationItemId",
            i.reservation_id as "reservation_id: ReservationId",
            i.schedule_id as "schedule_id: ScheduleId",
            i.schedule_seat_id as "schedule_seat_id: ScheduleSeatId", i.zone_id as "zone_id: ZoneId"
        from tickets t
        join reservation_items i on i.id = t.reservation_item_id
        where t.code = any($1)
        "#,
        codes as _,
    )
    .fetch_all(tx)
    .await
}

/// Returns the facts of a ticket's return, to be shown to its holder.
pub async fn find_terms(
    db: impl PgExecutor<'_>,
    ticket_id: TicketId,
) -> Result<Option<ReturnTerms>, sqlx::Error> {
    Ok(list_terms(db, &[ticket_id]).await?.pop())
}

/// Lists the facts of returns of tickets, to be shown to their holder, or after their rows were locked.
pub async fn list_terms(
    db: impl PgExecutor<'_>,
    ticket_ids: &[TicketId],
) -> Result<Vec<ReturnTerms>, sqlx::Error> {
    sqlx::query_as!(
        ReturnTerms,
        r#"
        select t.id as ticket_id, i.id as "item_id: ReservationItemId",
            i.reservation_id as "reservation_id: ReservationId",
            i.schedule_id as "schedule_id: ScheduleId",
            i.schedule_seat_id as "schedule_seat_id: ScheduleSeatId", i.zone_id as "zone_id: ZoneId",
            t.account_id as "holder_id: AccountId", t.status as "status: TicketStatus",
            i.unit_price as "price: Points", m.id as "payment_id?",
            m.account_id as "payer_id?: AccountId", p.return_fee_percent as fee_percent,
            (i.price_type_id is not null or r.sale_code_id is not null) as "is_reduced!",
            (p.status = 'CANCELLED' or d.cancelled_at is not null) as "is_cancelled!",
            (p.status = 'PUBLISHED' and d.cancelled_at is null and moment.at < p.off_sale_at) as "is_on_sale!",
            d.starts_at, moment.at as "now!",
            (r.account_id <> t.account_id or 1 < (
                select sum(quantity - returned) from (
                    select quantity, returned from reservation_items where reservation_id = r.id offset 0
                ) left_over)) as "is_of_several!",
            exists (select from ticket_hand_overs
                    where ticket_id = t.id and status = 'PENDING' and expires_at > moment.at)
                as "is_offered!",
            (select id from ticket_returns where ticket_id = t.id and status = 'OPEN')
                as "return_id: ReturnId",
            coalesce(r.exchange_fee, p.exchange_fee) as "exchange_fee: Points",
            d.starts_at - make_interval(hours => case
                when r.exchange_fee is null then p.exchange_until_hours else r.exchange_until_hours
            end) as "exchange_until!", p.off_sale_at
        from tickets t
        cross join (select clock_timestamp() as at offset 0) moment
        join reservation_items i on i.id = t.reservation_item_id
        join reservations r on r.id = i.reservation_id
        join programs p on p.id = r.program_id
        join schedules d on d.id = r.schedule_id
        left join lateral (
            select id, account_id from (
                select id, account_id, status from payments where id = coalesce(
                (select s.id from share_places c join shares s on s.id = c.share_id
                 where c.reservation_item_id = i.id and c.number = t.number and c.live
                   and s.status = 'PAID'),
                (select id from payments where reservation_id = r.id and status = 'COMPLETED'
                   and number = 1))
                offset 0
            ) paid
            where status = 'COMPLETED'
        ) m on true
        where t.id = any($1)
        order by t.id
        "#,
        ticket_ids as _,
    )
    .fetch_all(db)
    .await
}

/// Returns the newest return of a ticket, if `seller_id` made it.
pub async fn find_shown(
    db: &Pool,
    seller_id: AccountId,
    ticket_id: TicketId,
) -> Result<Option<ShownReturn>, sqlx::Error> {
    sqlx::query_as!(
        ShownReturn,
        r#"
        select t.id as "return_id: ReturnId", t.status as "status: ReturnStatus",
            t.price as "price: Points", t.fee_percent, t.payout as "payout: Points", t.to_house,
            t.exchange_id is not null as "is_exchanged!", r.expires_at as "held_until?", t.wanted_back_at, t.settled_at, t.created_at
        from (
            select * from (
                select * from ticket_returns where ticket_id = $1 and seller_id = $2 offset 0
            ) own
            order by id desc
            limit 1
        ) t
        left join lateral (
            select reservation_id from reservation_items
            where return_id = t.id and awaits_return
            limit 1
        ) i on true
        left join lateral (
            select expires_at from reservations
            where id = i.reservation_id and expires_at > clock_timestamp()
            limit 1
        ) r on true
        "#,
        ticket_id as _,
        seller_id as _,
    )
    .fetch_optional(db)
    .await
}

/// Returns the code of the ticket of a return that `seller_id` made, if the seller still holds the
/// ticket.
pub(super) async fn find_code(
    db: &Pool,
    seller_id: AccountId,
    id: ReturnId,
) -> Result<Option<TicketCode>, sqlx::Error> {
    sqlx::query_scalar!(
        r#"
        select code as "code: TicketCode" from tickets
        where account_id = $2
            and id = (select ticket_id from ticket_returns where id = $1 and seller_id = $2)
        "#,
        id as _,
        seller_id as _,
    )
    .fetch_optional(db)
    .await
}
