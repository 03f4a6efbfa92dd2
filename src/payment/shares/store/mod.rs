//! SQL of shares. Callers that write a live share have locked its reservation, except when they
//! return shares after the hold has ended.

pub(super) mod ended;
pub(super) mod views;
pub(super) mod waiting;

use super::model::{LinkedShare, LockedShare, NewShare, Place, ShareId, ShareStatus};
use crate::{
    accounts::AccountId,
    catalog::ProgramId,
    infra::postgres::{Connection, Pool},
    reservation::{ReservationId, ReservationItemId},
};

/// Key by which a share with a link is found.
#[derive(Clone, Copy, Debug)]
pub(super) enum ShareKey<'a> {
    /// Hash of the code in its link.
    Code(&'a [u8]),
    /// Its id.
    Id(ShareId),
}

/// Returns the share of a link, without a lock; `None` if there is none.
pub(super) async fn find_linked(
    db: &Pool,
    key: ShareKey<'_>,
) -> Result<Option<LinkedShare>, sqlx::Error> {
    let (code_hash, id) = match key {
        ShareKey::Code(hash) => (Some(hash), None),
        ShareKey::Id(id) => (None, Some(id)),
    };
    sqlx::query_as!(
        LinkedShare,
        r#"
        select s.id as "id!: _", r.id as "reservation_id: _", r.account_id as "owner_id: _",
               r.program_id as "program_id: _"
        from (
            select id, reservation_id from shares where code_hash = $1
            union all
            select id, reservation_id from shares where id = $2 and code_hash is not null
        ) s
        join reservations r on r.id = s.reservation_id
        "#,
        code_hash,
        id as _,
    )
    .fetch_optional(db)
    .await
}

/// State of a share, as it concerns an account.
#[derive(Clone, Copy, Debug)]
pub(in crate::payment) struct Payability {
    pub(in crate::payment) status: ShareStatus,
    /// Whether the account is its payer.
    pub(in crate::payment) is_own: bool,
    /// Whether its reservation is held.
    pub(in crate::payment) is_held: bool,
    /// Whether the account may have tickets of the program.
    pub(super) may_have_tickets: bool,
}

/// Returns the state of a share as it concerns `payer_id` now; `None` if there is no such share.
pub(in crate::payment) async fn find_payability(
    db: &Pool,
    id: ShareId,
    payer_id: AccountId,
) -> Result<Option<Payability>, sqlx::Error> {
    sqlx::query_as!(
        Payability,
        r#"
        select s.status as "status: _", coalesce(s.payer_id = $2, false) as "is_own!",
            r.status = 'HELD' and r.expires_at > clock_timestamp() as "is_held!",
            not p.join_confirmed_address or a.email_confirmed_at is not null as "may_have_tickets!"
        from shares s
        join reservations r on r.id = s.reservation_id
        join programs p on p.id = r.program_id
        join accounts a on a.id = $2
        where s.id = $1
        "#,
        id as _,
        payer_id as _,
    )
    .fetch_optional(db)
    .await
}

/// Locks the live shares of a locked reservation, in the order of their ids.
pub(super) async fn lock_live(
    tx: &mut Connection,
    reservation_id: ReservationId,
) -> Result<Vec<LockedShare>, sqlx::Error> {
    sqlx::query_as!(
        LockedShare,
        r#"
        select id as "id: _", payer_id as "payer_id: _", amount as "amount: _", status as "status: _",
               version, code_hash is not null as "has_link!"
        from shares
        where reservation_id = $1 and status in ('OPEN', 'WITHHELD')
        order by id
        for no key update
        "#,
        reservation_id as _,
    )
    .fetch_all(tx)
    .await
}

/// Returns the status of a share of a reservation; `None` if it has no such share.
pub(super) async fn find_status(
    tx: &mut Connection,
    reservation_id: ReservationId,
    id: ShareId,
) -> Result<Option<ShareStatus>, sqlx::Error> {
    sqlx::query_scalar!(
        r#"select status as "status: ShareStatus" from shares where id = $2 and reservation_id = $1"#,
        reservation_id as _,
        id as _,
    )
    .fetch_optional(tx)
    .await
}

/// Counts the shares of a reservation, whatever their status.
pub(super) async fn count(
    tx: &mut Connection,
    reservation_id: ReservationId,
) -> Result<i64, sqlx::Error> {
    sqlx::query_scalar!(
        r#"select count(*) as "count!" from shares where reservation_id = $1"#,
        reservation_id as _,
    )
    .fetch_one(tx)
    .await
}

/// Counts the links that the holder made within the last hour, at most `rows_max`.
pub(super) async fn count_linked_lately(
    tx: &mut Connection,
    owner_id: AccountId,
    rows_max: i64,
) -> Result<i64, sqlx::Error> {
    sqlx::query_scalar!(
        r#"
        select count(*) as "count!"
        from (
            select from (
                select id from reservations
                where account_id = $1 and created_at > clock_timestamp() - interval '1 day' offset 0
            ) r
            cross join lateral (
                select code_hash, created_at from shares where reservation_id = r.id offset 0
            ) s
            where s.code_hash is not null and s.created_at > clock_timestamp() - interval '1 hour'
            limit $2
        ) lately
        "#,
        owner_id as _,
        rows_max,
    )
    .fetch_one(tx)
    .await
}

/// Lists the places in live shares of a reservation, each with its share.
pub(super) async fn list_live_places(
    tx: &mut Connection,
    reservation_id: ReservationId,
) -> Result<Vec<(Place, ShareId)>, sqlx::Error> {
    let rows = sqlx::query!(
        r#"
        select p.reservation_item_id as "item_id: ReservationItemId", p.number,
               p.share_id as "share_id: ShareId"
        from (select id from shares where reservation_id = $1 offset 0) s
        cross join lateral (
            select share_id, reservation_item_id, number from share_places
            where share_id = s.id and live offset 0
        ) p
        "#,
        reservation_id as _,
    )
    .fetch_all(tx)
    .await?;
    let place = |item_id, number| Place { item_id, number };
    Ok(rows.into_iter().map(|row| (place(row.item_id, row.number), row.share_id)).collect())
}

/// Inserts a share with its places: open, or withheld if it has a payer. Fails if one of the places is
/// in a live share.
pub(super) async fn insert(tx: &mut Connection, new: &NewShare<'_>) -> Result<(), sqlx::Error> {
    let items: Vec<ReservationItemId> = new.places.iter().map(|(place, _)| place.item_id).collect();
    let numbers: Vec<i32> = new.places.iter().map(|(place, _)| place.number).collect();
    let quantities: Vec<i32> = new.places.iter().map(|(_, quantity)| *quantity).collect();
    sqlx::query!(
        r#"
        with made as (
            insert into shares
                (id, reservation_id, payer_id, amount, status, code_hash, withheld_at)
            values ($1, $2, $3, $4, case when $3::uuid is null then 'OPEN' else 'WITHHELD' end, $5,
                case when $3::uuid is null then null else clock_timestamp() end)
        )
        insert into share_places (share_id, reservation_item_id, number, item_quantity)
        select $1, item_id, number, quantity
        from unnest($6::uuid[], $7::integer[], $8::integer[]) as place (item_id, number, quantity)
        "#,
        new.id as _,
        new.reservation_id as _,
        new.payer_id as _,
        new.amount as _,
        new.code_hash,
        items as _,
        &numbers,
        &quantities,
    )
    .execute(tx)
    .await?;
    Ok(())
}

/// Sets the payer of a locked open share; returns whether its version was unchanged.
pub(super) async fn write_withheld(
    tx: &mut Connection,
    share: &LockedShare,
    payer_id: AccountId,
) -> Result<bool, sqlx::Error> {
    let written = sqlx::query!(
        r#"
        update shares
        set status = 'WITHHELD', payer_id = $3, withheld_at = clock_timestamp(), version = version + 1
        where id = $1 and version = $2 and status = 'OPEN'
        "#,
        share.id as _,
        share.version,
        payer_id as _,
    )
    .execute(tx)
    .await?;
    Ok(written.rows_affected() == 1)
}

/// Marks locked withheld shares as paid; returns the number written, without those whose version
/// has changed. `versions` is parallel to `ids`.
pub(super) async fn write_paid(
    tx: &mut Connection,
    ids: &[ShareId],
    versions: &[i64],
) -> Result<u64, sqlx::Error> {
    let written = sqlx::query!(
        r#"
        update shares s
        set status = 'PAID', settled_at = clock_timestamp(), version = s.version + 1
        from unnest($1::uuid[], $2::bigint[]) as locked (id, version)
        where s.id = locked.id and s.version = locked.version and s.status = 'WITHHELD'
        "#,
        ids as _,
        versions,
    )
    .execute(tx)
    .await?;
    Ok(written.rows_affected())
}

/// Ends locked live shares unpaid and frees their places; returns the number written, without those
/// whose version has changed. `versions` is parallel to `ids`.
pub(super) async fn write_ended(
    tx: &mut Connection,
    ids: &[ShareId],
    versions: &[i64],
    status: ShareStatus,
) -> Result<u64, sqlx::Error> {
    let written = sqlx::query!(
        r#"
        with freed as (
            update share_places set live = false where share_id = any($1) and live
        )
        update shares s
        set status = $3, settled_at = clock_timestamp(), version = s.version + 1
        from unnest($1::uuid[], $2::bigint[]) as locked (id, version)
        where s.id = locked.id and s.version = locked.version
        "#,
        ids as _,
        versions,
        status as _,
    )
    .execute(tx)
    .await?;
    Ok(written.rows_affected())
}

/// Whether an account may have tickets of a program: a program that asks for confirmed addresses
/// issues tickets only to accounts with a confirmed address.
pub(super) async fn may_have_tickets(
    tx: &mut Connection,
    program_id: ProgramId,
    account_id: AccountId,
) -> Result<bool, sqlx::Error> {
    sqlx::query_scalar!(
        r#"
        select not p.join_confirmed_address or a.email_confirmed_at is not null as "may!"
        from programs p
        cross join accounts a
        where p.id = $1 and a.id = $2
        "#,
        program_id as _,
        account_id as _,
    )
    .fetch_one(tx)
    .await
}
