//! SQL of codes as orders use them.

pub mod access;
pub mod edits;

use sqlx::PgExecutor;

use super::model::{CodeWord, OrderPrice, SaleCode, SaleCodeId};
use crate::{
    accounts::AccountId,
    catalog::{ProgramId, ScheduleSeatId},
    infra::postgres::{Connection, Pool},
    points::Points,
    reservation::model::ReservationId,
};

/// Returns the code of a program that has `word` now: an access code, or one that reduces a price.
pub(super) async fn find(
    db: impl PgExecutor<'_>,
    program_id: ProgramId,
    word: &CodeWord,
    is_access: bool,
) -> Result<Option<SaleCode>, sqlx::Error> {
    sqlx::query_as!(
        SaleCode,
        r#"
        select id as "id: _", word as "word: _", is_access, percent,
            amount as "amount: _", valid_from, valid_until, uses_max, places_max, uses_per_account_max,
            schedule_id as "schedule_id: _", section, zones_of_code(id) as "zones!: _",
            gate_id as "gate_id: _", uses, places, withdrawn_at, created_at
        from sale_codes
        where program_id = $1 and word = $2 and withdrawn_at is null and is_access = $3
        "#,
        program_id as _,
        word as _,
        is_access,
    )
    .fetch_optional(db)
    .await
}

/// Locks the codes among `ids` that belong to a program, in the order of their ids. Waits for
/// locked ones, whose transactions are about to commit.
pub async fn lock(
    tx: &mut Connection,
    program_id: ProgramId,
    ids: &[SaleCodeId],
) -> Result<Vec<SaleCode>, sqlx::Error> {
    sqlx::query_as!(
        SaleCode,
        r#"
        select id as "id: _", word as "word: _", is_access, percent,
            amount as "amount: _", valid_from, valid_until, uses_max, places_max, uses_per_account_max,
            schedule_id as "schedule_id: _", section, zones_of_code(id) as "zones!: _",
            gate_id as "gate_id: _", uses, places, withdrawn_at, created_at
        from sale_codes
        where id = any($1) and program_id = $2
        order by id
        for no key update
        "#,
        ids as _,
        program_id as _,
    )
    .fetch_all(tx)
    .await
}

/// Counts the live reservations that each of `accounts` has with each of the locked codes `ids` of
/// a program. Must run after the locks; holds past their end are left out.
pub(crate) async fn count_own_uses(
    tx: &mut Connection,
    program_id: ProgramId,
    ids: &[SaleCodeId],
    accounts: &[AccountId],
) -> Result<Vec<(SaleCodeId, AccountId, i64)>, sqlx::Error> {
    let rows = sqlx::query!(
        r#"
        select own.sale_code_id as "id!: SaleCodeId", asked.account_id as "account_id!: AccountId",
            count(*) as "uses!"
        from unnest($3::uuid[]) as asked (account_id)
        cross join lateral (
            select sale_code_id, status, expires_at
            from reservations
            where account_id = asked.account_id and program_id = $1
              and status in ('HELD', 'CONFIRMED')
            offset 0
        ) own
        where own.sale_code_id = any($2)
          and (own.status = 'CONFIRMED' or own.expires_at > clock_timestamp() or not is_office_awake())
        group by own.sale_code_id, asked.account_id
        "#,
        program_id as _,
        ids as _,
        accounts as _,
    )
    .fetch_all(tx)
    .await?;
    Ok(rows.into_iter().map(|row| (row.id, row.account_id, row.uses)).collect())
}

/// Returns the sections of seats of performances.
pub async fn list_sections(
    tx: &mut Connection,
    seat_ids: &[ScheduleSeatId],
) -> Result<Vec<(ScheduleSeatId, String)>, sqlx::Error> {
    let rows = sqlx::query!(
        r#"
        select s.id as "id: ScheduleSeatId", v.section
        from (select id, seat_id from schedule_seats where id = any($1) offset 0) s
        cross join lateral (select section from seats where id = s.seat_id limit 1) v
        "#,
        seat_ids as _,
    )
    .fetch_all(tx)
    .await?;
    Ok(rows.into_iter().map(|row| (row.id, row.section)).collect())
}

/// Uses taken by one transaction, as columns of their reservations.
#[derive(Debug, Default)]
pub(crate) struct NewUses {
    pub reservations: Vec<ReservationId>,
    pub codes: Vec<SaleCodeId>,
    pub discounts: Vec<Points>,
    pub places: Vec<i32>,
}

impl NewUses {
    /// Adds a use of the code `id` by a reservation at `price`.
    pub(crate) fn add(&mut self, reservation_id: ReservationId, id: SaleCodeId, price: OrderPrice) {
        self.reservations.push(reservation_id);
        self.codes.push(id);
        self.discounts.push(price.discount);
        self.places.push(price.sum.places);
    }
}

/// Locks the codes of `ended` and gives back one use for each pair, with its places.
pub(crate) async fn write_uses_returned(
    tx: &mut Connection,
    ended: &[(SaleCodeId, i32)],
) -> Result<(), sqlx::Error> {
    let (ids, places): (Vec<SaleCodeId>, Vec<i32>) = ended.iter().copied().unzip();
    sqlx::query!(
        r#"
        with locked as materialized (
            select id from sale_codes where id = any($1) order by id for no key update
        )
        update sale_codes c
        set uses = c.uses - ended.n,
            -- An older version takes a code, and does not count its places.
            places = case when c.places is not null then greatest(c.places - ended.places, 0) end
        from locked
        cross join lateral (
            select count(*)::integer as n, sum(places)::integer as places
            from unnest($1::uuid[], $2::integer[]) as e (id, places) where e.id = locked.id
        ) ended
        where c.id = locked.id
        "#,
        ids as _,
        &places,
    )
    .execute(tx)
    .await?;
    Ok(())
}

/// Returns at most `rows_max` holds with the code `id` that are past their end, oldest first.
pub(crate) async fn list_lapsed_with(
    db: &Pool,
    id: SaleCodeId,
    rows_max: i64,
) -> Result<Vec<ReservationId>, sqlx::Error> {
    sqlx::query_scalar!(
        r#"
        select id as "id: ReservationId"
        from reservations
        where sale_code_id = $1 and status = 'HELD' and expires_at <= clock_timestamp()
        order by expires_at
        limit $2
        "#,
        id as _,
        rows_max,
    )
    .fetch_all(db)
    .await
}
