//! SQL of the demo data, the only statements that write to the tables of every feature.

mod codes;
pub(crate) mod copy;
pub(crate) mod office;
mod planned;
mod sale;

pub(crate) use codes::insert_codes;
pub(crate) use planned::plan_transfer;
pub(crate) use sale::sell_every_seat;

use chrono::TimeDelta;
use uuid::Uuid;

use super::{
    announcement::{Announcement, Discount},
    log_in::LogIn,
};
use crate::{
    catalog::{self, ProgramDetails, ProgramId, SeatKind},
    infra::{ids::new_id, postgres::Connection},
};

/// Number of accounts that bought the sold-out program.
const PEOPLE: i32 = 40;

/// Row of seats to insert.
pub(crate) struct SeatRow<'a> {
    pub venue_id: Uuid,
    pub section: &'a str,
    pub label: &'a str,
    pub category: &'a str,
}

pub(crate) async fn insert_people(
    tx: &mut Connection,
    password_hash: &str,
) -> Result<(), sqlx::Error> {
    sqlx::query!(
        r#"
        insert into accounts (id, email, name, password_hash, email_confirmed_at)
        select gen_random_uuid(), 'guest-' || i || '@stagedoor.example', 'Guest ' || i, $1, now()
        from generate_series(1, $2) i
        "#,
        password_hash,
        PEOPLE,
    )
    .execute(tx)
    .await?;
    Ok(())
}

pub(crate) async fn insert_account(
    tx: &mut Connection,
    log_in: &LogIn,
    password_hash: &str,
) -> Result<Uuid, sqlx::Error> {
    let id = new_id();
    sqlx::query!(
        r#"
        insert into accounts (id, email, name, password_hash, role, email_confirmed_at, is_demo)
        values ($1, $2, $3, $4, $5, now(), true)
        "#,
        id,
        log_in.email,
        log_in.name,
        password_hash,
        log_in.role,
    )
    .execute(tx)
    .await?;
    Ok(id)
}

/// Inserts a wallet with one charge in it.
pub(crate) async fn charge(
    tx: &mut Connection,
    account_id: Uuid,
    points: i64,
) -> Result<(), sqlx::Error> {
    sqlx::query!(
        r#"
        with wallet as (
            insert into wallets (id, account_id, balance, version)
            values (gen_random_uuid(), $1, $2, 1)
            returning id
        ), house as (
            insert into house_entries (wallet_id, wallet_version, amount)
            select id, 1, -$2::bigint from wallet
        )
        insert into point_transactions
            (id, wallet_id, wallet_version, kind, amount, balance_after, reference_id)
        select gen_random_uuid(), id, 1, 'CHARGE', $2, $2, gen_random_uuid() from wallet
        "#,
        account_id,
        points,
    )
    .execute(tx)
    .await?;
    Ok(())
}

pub(crate) async fn insert_venue(
    tx: &mut Connection,
    name: &str,
    address: &str,
) -> Result<Uuid, sqlx::Error> {
    let id = new_id();
    sqlx::query!("insert into venues (id, name, address) values ($1, $2, $3)", id, name, address)
        .execute(tx)
        .await?;
    Ok(id)
}

pub(crate) async fn insert_seats(
    tx: &mut Connection,
    row: &SeatRow<'_>,
    xs: &[f32],
    ys: &[f32],
) -> Result<(), sqlx::Error> {
    sqlx::query!(
        r#"
        insert into seats (venue_id, section, row_label, price_category, number, x, y)
        select $1, $2, $3, $4, place.number, place.x, place.y
        from unnest($5::real[], $6::real[]) with ordinality as place (x, y, number)
        "#,
        row.venue_id,
        row.section,
        row.label,
        row.category,
        xs,
        ys,
    )
    .execute(tx)
    .await?;
    Ok(())
}

/// Makes the seats `numbers` of a row seats of `kind`; `companions_of` has the wheelchair place of each,
/// if they are places of companions.
pub(crate) async fn mark_seats(
    tx: &mut Connection,
    row: &SeatRow<'_>,
    kind: SeatKind,
    numbers: &[i32],
    companions_of: &[i32],
) -> Result<(), sqlx::Error> {
    sqlx::query!(
        r#"
        update seats set kind = $4, companion_of = marked.companion_of
        from unnest($5::integer[], $6::integer[]) as marked (number, companion_of)
        where venue_id = $1 and section = $2 and row_label = $3 and seats.number = marked.number
        "#,
        row.venue_id,
        row.section,
        row.label,
        kind as _,
        numbers,
        companions_of,
    )
    .execute(tx)
    .await?;
    Ok(())
}

/// Inserts a published program with its queue.
pub(crate) async fn insert_program(
    tx: &mut Connection,
    program: &Announcement,
) -> Result<Uuid, sqlx::Error> {
    let now = sqlx::query_scalar!(r#"select now() as "now!""#).fetch_one(&mut *tx).await?;
    let details = ProgramDetails {
        on_sale_at: now + TimeDelta::minutes(program.opens_in_mins),
        off_sale_at: now + TimeDelta::days(60),
        ..(program.details)()
    };
    let id = new_id();
    catalog::insert_program(&mut *tx, ProgramId(id), &details).await?;
    sqlx::query!(
        r#"
        with program as (
            update programs set status = 'PUBLISHED' where id = $1
        ), gate as (
            insert into queue_gates (program_id) values ($1)
        )
        insert into queue_numbers (program_id) values ($1)
        "#,
        id,
    )
    .execute(tx)
    .await?;
    Ok(id)
}

/// Inserts a performance at 19:30, `day` days from today. Its kept places go on general sale two days
/// before it.
pub(crate) async fn insert_schedule(
    tx: &mut Connection,
    program_id: Uuid,
    hall: &str,
    day: i32,
) -> Result<Uuid, sqlx::Error> {
    let id = new_id();
    sqlx::query!(
        r#"
        insert into schedules (id, program_id, venue_id, starts_at, kept_until_hours)
        select $1, $2, id,
            (date_trunc('day', now() at time zone time_zone) + make_interval(days => $4)
             + interval '19 hours 30 minutes') at time zone time_zone,
            48
        from venues where name = $3
        "#,
        id,
        program_id,
        hall,
        day,
    )
    .execute(tx)
    .await?;
    Ok(id)
}

/// Puts every seat of the hall on sale: the front third of the rows at `price_from_front`, the next
/// at 3/4 of it and the last at 1/2, rounded to thousands.
pub(crate) async fn insert_schedule_seats(
    tx: &mut Connection,
    schedule_id: Uuid,
    price_from_front: i64,
) -> Result<(), sqlx::Error> {
    sqlx::query!(
        r#"
        insert into schedule_seats (schedule_id, seat_id, kind, wheelchair_seat_id, price)
        select $1, id, kind, wheelchair_seat_id,
            ($2::bigint * (4 - 3 * (row_idx - 1) / n_rows) / 4 + 500) / 1000 * 1000
        from (
            select seats.id, row_label, number, kind,
                (select w.id from seats w
                 where w.venue_id = seats.venue_id and w.section = seats.section
                   and w.row_label = seats.row_label and w.number = seats.companion_of)
                    as wheelchair_seat_id,
                dense_rank() over (order by row_label) as row_idx,
                (select count(distinct row_label) from seats where venue_id = schedules.venue_id)
                    as n_rows
            from seats
            join schedules on schedules.venue_id = seats.venue_id
            where schedules.id = $1
        ) seat
        order by row_label, number
        "#,
        schedule_id,
        price_from_front,
    )
    .execute(tx)
    .await?;
    Ok(())
}

pub(crate) async fn insert_zone(
    tx: &mut Connection,
    schedule_id: Uuid,
    name: &str,
    price: i64,
    capacity: i32,
) -> Result<(), sqlx::Error> {
    sqlx::query!(
        r#"
        insert into zones (id, schedule_id, name, price, capacity, remaining)
        values ($1, $2, $3, $4, $5, $5)
        "#,
        new_id(),
        schedule_id,
        name,
        price,
        capacity,
    )
    .execute(tx)
    .await?;
    Ok(())
}

pub(crate) async fn insert_price_type(
    tx: &mut Connection,
    schedule_id: Uuid,
    discount: &Discount,
) -> Result<(), sqlx::Error> {
    sqlx::query!(
        r#"
        insert into price_types (id, series_id, schedule_id, name, note, percent, per_order_max,
            beside, per_beside_max)
        values ($1, $1, $2, $3, $4, $5, $6, $7, $8)
        "#,
        new_id(),
        schedule_id,
        discount.name,
        discount.note,
        discount.percent,
        discount.per_order_max,
        discount.beside,
        discount.per_beside_max,
    )
    .execute(tx)
    .await?;
    Ok(())
}
