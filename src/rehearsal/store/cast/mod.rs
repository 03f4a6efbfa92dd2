//! The throw-away program of a rehearsal and its people: written at once, removed at once.
//! What bears the mark has an id of version 8, as `infra::throwaway` makes it.

pub(crate) mod removal;

use uuid::Uuid;

use crate::{
    infra::postgres::Connection,
    rehearsal::cast::{Plan, Stage},
};

/// The program, open now, and its line.
pub(crate) async fn insert_program(
    tx: &mut Connection,
    stage: &Stage,
    plan: &Plan,
    minutes: i32,
) -> Result<(), sqlx::Error> {
    sqlx::query!(
        r#"
        with program as (
            insert into programs (id, slug, title, status, on_sale_at, off_sale_at, queue_capacity)
            values ($1, $2, 'Rehearsal', 'PUBLISHED', now() - interval '1 hour',
                now() + make_interval(mins => $4), $3)
        ), numbers as (
            insert into queue_numbers (program_id) values ($1)
        )
        insert into queue_gates (program_id) values ($1)
        "#,
        stage.program_id,
        stage.slug,
        plan.queue_capacity,
        minutes,
    )
    .execute(tx)
    .await?;
    Ok(())
}

/// A venue with its seats, one performance and its zone.
pub(crate) async fn insert_schedule(
    tx: &mut Connection,
    stage: &Stage,
    plan: &Plan,
) -> Result<(), sqlx::Error> {
    sqlx::query!(
        r#"
        with venue as (
            insert into venues (id, name) values ($2, 'Rehearsal')
        ), schedule as (
            insert into schedules (id, program_id, venue_id, starts_at)
            values ($3, $1, $2, now() + interval '7 days')
        ), zone as (
            insert into zones (id, schedule_id, name, price, capacity, remaining)
            values ($4, $3, 'Standing', $7, $6, $6)
        )
        insert into seats (venue_id, section, row_label, number, x, y)
        select $2, 'Stalls', (nth / 40)::text, nth % 40, nth % 40, nth / 40
        from generate_series(0, $5::integer - 1) nth
        "#,
        stage.program_id,
        stage.venue_id,
        stage.schedule_id,
        stage.zone_id,
        plan.seats,
        plan.places,
        Plan::PRICE,
    )
    .execute(tx)
    .await?;
    Ok(())
}

/// Puts the seats of the venue on sale.
pub(crate) async fn insert_schedule_seats(
    tx: &mut Connection,
    stage: &Stage,
) -> Result<(), sqlx::Error> {
    sqlx::query!(
        r#"
        insert into schedule_seats (schedule_id, seat_id, price)
        select $1, id, $3 from seats where venue_id = $2 order by id
        "#,
        stage.schedule_id,
        stage.venue_id,
        Plan::PRICE,
    )
    .execute(tx)
    .await?;
    Ok(())
}

/// How many rehearsals stand.
pub(crate) async fn count_stages(tx: &mut Connection) -> Result<usize, sqlx::Error> {
    let n = sqlx::query_scalar!(
        r#"
        select count(*) as "n!" from programs
        where slug like 'rehearsal-%' and is_throwaway(id)
        "#,
    )
    .fetch_one(tx)
    .await?;
    Ok(usize::try_from(n).unwrap_or(usize::MAX))
}

/// Rehearsals that are over, the oldest first.
pub(crate) async fn list_stages_over(
    db: &mut Connection,
    rows_max: i64,
) -> Result<Vec<Uuid>, sqlx::Error> {
    sqlx::query_scalar!(
        r#"
        select id from programs
        where slug like 'rehearsal-%' and is_throwaway(id) and off_sale_at < now()
        order by id limit $1
        "#,
        rows_max,
    )
    .fetch_all(db)
    .await
}

/// Locks the program while its sale is open; false where it is not.
pub(crate) async fn lock_stage(tx: &mut Connection, program_id: Uuid) -> Result<bool, sqlx::Error> {
    let found = sqlx::query_scalar!(
        "select id from programs where id = $1 and off_sale_at > now() for no key update",
        program_id,
    )
    .fetch_optional(tx)
    .await?;
    Ok(found.is_some())
}

/// Ends the sale, so that nobody comes in while it is removed and, if that fails, the next
/// rehearsal goes on with it; false where there is no such program.
pub(crate) async fn close_stage(
    db: &mut Connection,
    program_id: Uuid,
) -> Result<bool, sqlx::Error> {
    let closed = sqlx::query!(
        "update programs set off_sale_at = least(off_sale_at, now()) where id = $1",
        program_id,
    )
    .execute(db)
    .await?;
    Ok(closed.rows_affected() == 1)
}

/// How many people a rehearsal has.
pub(crate) async fn count_people(tx: &mut Connection, host: &str) -> Result<usize, sqlx::Error> {
    let n = sqlx::query_scalar!(
        r#"
        select count(*) as "n!" from accounts
        where email like '%@' || $1::text and is_throwaway(id)
        "#,
        host,
    )
    .fetch_one(tx)
    .await?;
    Ok(usize::try_from(n).unwrap_or(usize::MAX))
}

/// People. Nobody can log in as them: they have no password.
pub(crate) async fn insert_people(
    tx: &mut Connection,
    host: &str,
    people: &[Uuid],
) -> Result<(), sqlx::Error> {
    sqlx::query!(
        r#"
        insert into accounts (id, email, name, password_hash)
        select id, id || '@' || $1::text, 'Rehearsal', 'none' from unnest($2::uuid[]) people (id)
        "#,
        host,
        people,
    )
    .execute(tx)
    .await?;
    Ok(())
}

/// A session for each of `owners`, who may be named more than once.
pub(crate) async fn insert_sessions(
    tx: &mut Connection,
    owners: &[Uuid],
    token_hashes: &[Vec<u8>],
    minutes: i32,
) -> Result<(), sqlx::Error> {
    sqlx::query!(
        r#"
        insert into sessions (token_hash, account_id, expires_at)
        select token_hash, owner, now() + make_interval(mins => $3)
        from unnest($1::uuid[], $2::bytea[]) sessions (owner, token_hash)
        "#,
        owners,
        token_hashes,
        minutes,
    )
    .execute(tx)
    .await?;
    Ok(())
}

/// A wallet with points for each of `people`.
pub(crate) async fn insert_wallets(
    tx: &mut Connection,
    people: &[Uuid],
    wallets: &[Uuid],
    points: i64,
) -> Result<(), sqlx::Error> {
    sqlx::query!(
        r#"
        with wallets as (
            insert into wallets (id, account_id, balance, version)
            select id, owner, $3, 1 from unnest($1::uuid[], $2::uuid[]) wallets (owner, id)
            returning id
        ), house as (
            insert into house_entries (wallet_id, wallet_version, amount)
            select id, 1, -$3::bigint from wallets
        )
        insert into point_transactions
            (id, wallet_id, wallet_version, kind, amount, balance_after, reference_id)
        select gen_random_uuid(), id, 1, 'CHARGE', $3, $3, gen_random_uuid() from wallets
        "#,
        people,
        wallets,
        points,
    )
    .execute(tx)
    .await?;
    Ok(())
}
