//! SQL of access codes: their redemptions, and the seats and zones that they open.

use chrono::{DateTime, Utc};

use crate::{
    accounts::AccountId,
    catalog::{ScheduleSeatId, ZoneId},
    infra::postgres::Connection,
    reservation::codes::model::SaleCodeId,
};

/// Returns the time by the database's clock after a code was locked, and whether the account has redeemed
/// the code.
pub(in crate::reservation::codes) async fn read_redeemed(
    tx: &mut Connection,
    account_id: AccountId,
    id: SaleCodeId,
) -> Result<(DateTime<Utc>, bool), sqlx::Error> {
    let row = sqlx::query!(
        r#"
        select clock_timestamp() as "moment!", exists (
            select from code_redemptions where account_id = $1 and sale_code_id = $2
        ) as "has!"
        "#,
        account_id as _,
        id as _,
    )
    .fetch_one(tx)
    .await?;
    Ok((row.moment, row.has))
}

/// Inserts the redemption of a locked code, and counts its use.
pub(in crate::reservation::codes) async fn insert_redemption(
    tx: &mut Connection,
    account_id: AccountId,
    id: SaleCodeId,
) -> Result<(), sqlx::Error> {
    sqlx::query!(
        r#"
        with counted as (
            update sale_codes set uses = uses + 1 where id = $2
        )
        insert into code_redemptions (account_id, sale_code_id) values ($1, $2)
        "#,
        account_id as _,
        id as _,
    )
    .execute(tx)
    .await?;
    Ok(())
}

/// Lists the locked hidden seats that codes open to one of `accounts` now, each with the account.
pub(crate) async fn list_open_seats(
    tx: &mut Connection,
    seat_ids: &[ScheduleSeatId],
    accounts: &[AccountId],
) -> Result<Vec<(AccountId, ScheduleSeatId)>, sqlx::Error> {
    let rows = sqlx::query!(
        r#"
        select own.account_id as "account_id!: AccountId", s.id as "id!: ScheduleSeatId"
        from (select account_id, sale_code_id from code_redemptions
              where account_id = any($2) offset 0) own
        cross join lateral (select * from sale_codes where id = own.sale_code_id limit 1) c
        cross join (select id, seat_id, schedule_id from schedule_seats
                    where id = any($1) offset 0) s
        cross join lateral (select section from seats where id = s.seat_id limit 1) v
        join schedules d on d.id = s.schedule_id and d.program_id = c.program_id
        where c.section = v.section and c.withdrawn_at is null
          and (c.schedule_id is null or c.schedule_id = d.id)
          and coalesce(c.valid_from <= clock_timestamp(), true)
          and coalesce(clock_timestamp() < c.valid_until, true)
        "#,
        seat_ids as _,
        accounts as _,
    )
    .fetch_all(tx)
    .await?;
    Ok(rows.into_iter().map(|row| (row.account_id, row.id)).collect())
}

/// Lists the accounts among `accounts` to which codes open a locked hidden zone now.
pub(crate) async fn list_accounts_inside(
    tx: &mut Connection,
    zone_id: ZoneId,
    accounts: &[AccountId],
) -> Result<Vec<AccountId>, sqlx::Error> {
    sqlx::query_scalar!(
        r#"
        select own.account_id as "account_id!: AccountId"
        from (select account_id, sale_code_id from code_redemptions
              where account_id = any($2) offset 0) own
        cross join lateral (select * from sale_codes where id = own.sale_code_id limit 1) c
        cross join lateral (
            select zone_id from sale_code_zones where sale_code_id = c.id and zone_id = $1 limit 1
        ) z
        where c.withdrawn_at is null
          and coalesce(c.valid_from <= clock_timestamp(), true)
          and coalesce(clock_timestamp() < c.valid_until, true)
        "#,
        zone_id as _,
        accounts as _,
    )
    .fetch_all(tx)
    .await
}
