//! SQL of waiting lists and their wishes.

pub mod offers;
pub mod own;

use uuid::Uuid;

use super::model::{WaitingWish, WishStatus};
use crate::{
    accounts::AccountId,
    catalog::{ProgramId, ScheduleId},
    infra::postgres::{Connection, Pool},
    reservation::model::{ReservationId, WishId},
};

/// Lock of a list by [`lock_freeing`].
pub(crate) struct FreeingLock {
    pub schedule_id: ScheduleId,
    /// Whether no wish waits, and the row is locked in share mode.
    pub(crate) is_idle: bool,
    /// Whether a wish waits, and the row is locked exclusively.
    pub(crate) is_waited_for: bool,
}

/// Locks the lists of the performances of reservations: in share mode if no wish waits, exclusively
/// if one does. If both flags of a list are false, it changed between the two reads.
pub(crate) async fn lock_freeing(
    tx: &mut Connection,
    ids: &[ReservationId],
) -> Result<Vec<FreeingLock>, sqlx::Error> {
    sqlx::query_as!(
        FreeingLock,
        r#"
        with own as materialized (
            select distinct schedule_id from reservations where id = any($1)
        ), idle as materialized (
            select schedule_id from waiting_lists
            where schedule_id = any(array(select schedule_id from own)) and waiting = 0
            order by schedule_id
            for share
        ), busy as materialized (
            select schedule_id from waiting_lists
            where schedule_id = any(array(select schedule_id from own)) and waiting > 0
            order by schedule_id
            for no key update
        )
        select schedule_id as "schedule_id!: ScheduleId",
            exists (select from idle where schedule_id = own.schedule_id) as "is_idle!",
            exists (select from busy where schedule_id = own.schedule_id) as "is_waited_for!"
        from own
        "#,
        ids as _,
    )
    .fetch_all(tx)
    .await
}

/// Locked list.
#[derive(Debug)]
pub struct LockedList {
    pub program_id: ProgramId,
    /// Number of the next wish.
    pub next_number: i64,
    /// Number of wishes that wait.
    pub waiting: i32,
}

/// Locks a list exclusively; `None` if the performance does not exist.
pub async fn lock(
    tx: &mut Connection,
    schedule_id: ScheduleId,
) -> Result<Option<LockedList>, sqlx::Error> {
    sqlx::query_as!(
        LockedList,
        r#"
        select s.program_id as "program_id: ProgramId", l.next_number, l.waiting
        from waiting_lists l
        join schedules s on s.id = l.schedule_id
        where l.schedule_id = $1
        for no key update of l
        "#,
        schedule_id as _,
    )
    .fetch_optional(tx)
    .await
}

/// Returns the accounts among `accounts` that wait in the list.
pub(crate) async fn list_wishers(
    tx: &mut Connection,
    schedule_id: ScheduleId,
    accounts: &[AccountId],
) -> Result<Vec<AccountId>, sqlx::Error> {
    sqlx::query_scalar!(
        r#"
        select asked.account_id as "id!: AccountId"
        from unnest($2::uuid[]) as asked (account_id)
        cross join lateral (
            select number from wishes
            where account_id = asked.account_id and schedule_id = $1 and status = 'WAITING'
            limit 1
        ) wish
        "#,
        schedule_id as _,
        accounts as _,
    )
    .fetch_all(tx)
    .await
}

/// Adds wishes with their numbers at the end of a locked list.
pub async fn insert(
    tx: &mut Connection,
    (program_id, schedule_id): (ProgramId, ScheduleId),
    wishes: &[WaitingWish],
) -> Result<(), sqlx::Error> {
    let ids: Vec<_> = wishes.iter().map(|wish| wish.id).collect();
    let accounts: Vec<_> = wishes.iter().map(|wish| wish.account_id).collect();
    let numbers: Vec<_> = wishes.iter().map(|wish| wish.number).collect();
    let places: Vec<_> = wishes.iter().map(|wish| wish.order.places).collect();
    let sections: Vec<_> = wishes.iter().map(|wish| wish.order.section.as_deref()).collect();
    let prices: Vec<_> = wishes.iter().map(|wish| wish.order.price_max).collect();
    let together: Vec<_> = wishes.iter().map(|wish| wish.order.is_together).collect();
    sqlx::query!(
        r#"
        with list as (
            update waiting_lists
            set next_number = next_number + cardinality($3::uuid[]),
                waiting = waiting + cardinality($3::uuid[])
            where schedule_id = $2
        )
        insert into wishes (program_id, schedule_id, id, account_id, number, places, section,
            price_max, is_together)
        select $1, $2, id, account_id, number, places, section, price_max, is_together
        from unnest($3::uuid[], $4::uuid[], $5::bigint[], $6::integer[], $7::text[], $8::bigint[],
            $9::boolean[])
            as w (id, account_id, number, places, section, price_max, is_together)
        order by number
        "#,
        program_id as _,
        schedule_id as _,
        &ids as _,
        &accounts as _,
        &numbers,
        &places,
        &sections as _,
        &prices as _,
        &together,
    )
    .execute(tx)
    .await?;
    Ok(())
}

/// Withdraws a waiting wish of a locked list; returns whether it waited.
pub(crate) async fn write_left(
    tx: &mut Connection,
    schedule_id: ScheduleId,
    id: WishId,
) -> Result<bool, sqlx::Error> {
    let written = sqlx::query!(
        r#"
        with left_by as (
            update wishes set status = 'LEFT', settled_at = clock_timestamp()
            where id = $2 and status = 'WAITING'
            returning schedule_id
        )
        update waiting_lists set waiting = waiting - 1
        where schedule_id = $1 and exists (select from left_by)
        "#,
        schedule_id as _,
        id as _,
    )
    .execute(tx)
    .await?;
    Ok(written.rows_affected() == 1)
}

/// Ends the first `rows_max` waiting wishes of a locked list that is over; returns their number.
pub async fn write_ended(
    tx: &mut Connection,
    schedule_id: ScheduleId,
    rows_max: i64,
) -> Result<i32, sqlx::Error> {
    sqlx::query_scalar!(
        r#"
        with first as materialized (
            select id from wishes
            where schedule_id = $1 and status = 'WAITING' and settled_at is null
            order by number
            limit $2
        ), ended as (
            update wishes set status = 'ENDED', settled_at = clock_timestamp()
            where id = any(array(select id from first)) and status = 'WAITING'
            returning id
        )
        update waiting_lists set waiting = waiting - (select count(*) from ended)::integer
        where schedule_id = $1
        returning (select count(*) from ended)::integer as "n_ended!"
        "#,
        schedule_id as _,
        rows_max,
    )
    .fetch_one(tx)
    .await
}

/// List with waiting wishes.
#[derive(Clone, Debug)]
pub(crate) struct WaitedList {
    pub schedule_id: ScheduleId,
    /// Whether the sale is over, so that no further offer will be made.
    pub is_over: bool,
}

/// Returns the lists with waiting wishes, in the order of their ids, after `after`.
pub(crate) async fn list_waited_for(
    db: &Pool,
    after: Option<ScheduleId>,
    rows_max: i64,
) -> Result<Vec<WaitedList>, sqlx::Error> {
    sqlx::query_as!(
        WaitedList,
        r#"
        select l.schedule_id as "schedule_id: ScheduleId",
            (p.status = 'CANCELLED' or s.cancelled_at is not null or p.off_sale_at <= now()
                or s.starts_at <= now()) as "is_over!"
        from (
            select schedule_id from waiting_lists
            where waiting > 0 and schedule_id > coalesce($1, '00000000-0000-0000-0000-000000000000'::uuid)
            order by schedule_id
            limit $2
        ) l
        cross join lateral (
            select program_id, starts_at, cancelled_at from schedules where id = l.schedule_id limit 1
        ) s
        cross join lateral (
            select status, off_sale_at from programs where id = s.program_id limit 1
        ) p
        order by l.schedule_id
        "#,
        after as _,
        rows_max,
    )
    .fetch_all(db)
    .await
}

/// Locks the waiting wishes of accounts in a program. Waits for wishes that another transaction has
/// locked, because an offer to them counts toward the limits of the accounts.
pub(crate) async fn wait_for_wishes(
    tx: &mut Connection,
    program_id: ProgramId,
    accounts: &[AccountId],
) -> Result<(), sqlx::Error> {
    sqlx::query!(
        r#"
        select id from wishes
        where account_id = any($2) and program_id = $1 and status = 'WAITING'
        order by account_id, schedule_id
        for no key update
        "#,
        program_id as _,
        accounts as _,
    )
    .fetch_all(tx)
    .await?;
    Ok(())
}

/// Wish of an account, to be withdrawn.
#[derive(Debug)]
pub struct FoundWish {
    pub schedule_id: ScheduleId,
    pub status: WishStatus,
    /// Live hold that was offered to it.
    pub held: Option<Uuid>,
}

/// Returns a wish if `account_id` owns it.
pub async fn find_owned(
    tx: &mut Connection,
    account_id: AccountId,
    id: WishId,
) -> Result<Option<FoundWish>, sqlx::Error> {
    sqlx::query_as!(
        FoundWish,
        r#"
        select w.schedule_id as "schedule_id: ScheduleId", w.status as "status: WishStatus",
            (
                select r.id from reservations r
                where r.wish_id = w.id and r.status = 'HELD' and r.expires_at > clock_timestamp()
            ) as held
        from wishes w
        where w.id = $1 and w.account_id = $2
        "#,
        id as _,
        account_id as _,
    )
    .fetch_optional(tx)
    .await
}
