//! The SQL of the demo data. It fills every feature's tables, and nothing else does.

pub(super) mod copy;

use uuid::Uuid;

use super::{LogIn, programs::Announcement};
use crate::infra::postgres::Connection;

/// People who bought what is sold out.
const PEOPLE: i32 = 40;

/// A row of seats to write.
pub(super) struct SeatRow<'a> {
    pub(super) venue_id: Uuid,
    pub(super) section: &'a str,
    pub(super) label: &'a str,
}

pub(super) async fn is_filled(tx: &mut Connection) -> Result<bool, sqlx::Error> {
    // Two runs at once: the second waits for the first and then sees its programs.
    sqlx::query!("lock table venues in share row exclusive mode").execute(&mut *tx).await?;
    sqlx::query_scalar!(
        r#"select exists (select from programs where slug = 'night-on-the-han') as "is!""#
    )
    .fetch_one(tx)
    .await
}

pub(super) async fn insert_people(
    tx: &mut Connection,
    password_hash: &str,
) -> Result<(), sqlx::Error> {
    sqlx::query!(
        r#"
        insert into accounts (id, email, name, password_hash)
        select gen_random_uuid(), 'guest-' || i || '@stagedoor.example', 'Guest ' || i, $1
        from generate_series(1, $2) i
        "#,
        password_hash,
        PEOPLE,
    )
    .execute(tx)
    .await?;
    Ok(())
}

pub(super) async fn insert_account(
    tx: &mut Connection,
    log_in: &LogIn,
    password_hash: &str,
) -> Result<Uuid, sqlx::Error> {
    let id = Uuid::now_v7();
    sqlx::query!(
        "insert into accounts (id, email, name, password_hash, role) values ($1, $2, $3, $4, $5)",
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

/// Opens a wallet with one charge in it.
pub(super) async fn charge(
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
        )
        insert into point_transactions (id, wallet_id, wallet_version, kind, amount, balance_after)
        select gen_random_uuid(), id, 1, 'CHARGE', $2, $2 from wallet
        "#,
        account_id,
        points,
    )
    .execute(tx)
    .await?;
    Ok(())
}

pub(super) async fn insert_venue(
    tx: &mut Connection,
    name: &str,
    address: &str,
) -> Result<Uuid, sqlx::Error> {
    let id = Uuid::now_v7();
    sqlx::query!("insert into venues (id, name, address) values ($1, $2, $3)", id, name, address)
        .execute(tx)
        .await?;
    Ok(id)
}

pub(super) async fn insert_seats(
    tx: &mut Connection,
    row: &SeatRow<'_>,
    xs: &[f32],
    ys: &[f32],
) -> Result<(), sqlx::Error> {
    sqlx::query!(
        r#"
        insert into seats (venue_id, section, row_label, number, x, y)
        select $1, $2, $3, place.number, place.x, place.y
        from unnest($4::real[], $5::real[]) with ordinality as place (x, y, number)
        "#,
        row.venue_id,
        row.section,
        row.label,
        xs,
        ys,
    )
    .execute(tx)
    .await?;
    Ok(())
}

pub(super) async fn insert_program(
    tx: &mut Connection,
    program: &Announcement,
) -> Result<Uuid, sqlx::Error> {
    let id = Uuid::now_v7();
    sqlx::query!(
        r#"
        with program as (
            insert into programs (id, slug, title, description, status, on_sale_at, off_sale_at,
                queue_capacity, queue_rate_per_second)
            values ($1, $2, $3, $4, 'PUBLISHED', now() + make_interval(mins => $5),
                now() + interval '60 days', $6, $7)
            returning id
        ), gate as (
            insert into queue_gates (program_id) select id from program
        )
        insert into queue_numbers (program_id) select id from program
        "#,
        id,
        program.slug,
        program.title,
        program.description,
        program.opens_in_mins,
        program.queue_capacity,
        program.queue_rate_per_second,
    )
    .execute(tx)
    .await?;
    Ok(id)
}

/// A performance at half past seven, so many days from today.
pub(super) async fn insert_schedule(
    tx: &mut Connection,
    program_id: Uuid,
    hall: &str,
    day: i32,
) -> Result<Uuid, sqlx::Error> {
    let id = Uuid::now_v7();
    sqlx::query!(
        r#"
        insert into schedules (id, program_id, venue_id, starts_at)
        select $1, $2, id,
            (date_trunc('day', now() at time zone time_zone) + make_interval(days => $4)
             + interval '19 hours 30 minutes') at time zone time_zone
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

/// Every seat of the hall: the front third of the rows at the full price, then at 3/4,
/// then at 1/2.
pub(super) async fn insert_schedule_seats(
    tx: &mut Connection,
    schedule_id: Uuid,
    price_from_front: i64,
) -> Result<(), sqlx::Error> {
    sqlx::query!(
        r#"
        insert into schedule_seats (schedule_id, seat_id, price)
        select $1, id, ($2::bigint * (4 - 3 * (row_idx - 1) / n_rows) / 4 + 500) / 1000 * 1000
        from (
            select seats.id, row_label, number, dense_rank() over (order by row_label) as row_idx,
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

pub(super) async fn insert_zone(
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
        Uuid::now_v7(),
        schedule_id,
        name,
        price,
        capacity,
    )
    .execute(tx)
    .await?;
    Ok(())
}

/// Sells every seat of a performance to guests, two at most each, with all that a
/// purchase leaves behind: charge, reservation, payment and tickets.
pub(super) async fn sell_every_seat(
    tx: &mut Connection,
    schedule_id: Uuid,
) -> Result<(), sqlx::Error> {
    sqlx::query!(
        r#"
        with seat as (
            update schedule_seats set status = 'RESERVED', version = version + 1
            where schedule_id = $1 and status = 'AVAILABLE'
            returning id, price
        ), dealt as (
            select seat.*, row_number() over (order by seat.id) % $2 as turn from seat
        ), guest as (
            select id, row_number() over (order by email) - 1 as turn
            from accounts where email like 'guest-%@stagedoor.example'
        ), sale as (
            select guest.id as account_id, gen_random_uuid() as reservation_id,
                gen_random_uuid() as payment_id, gen_random_uuid() as wallet_id,
                sum(price)::bigint as total
            from dealt join guest using (turn)
            group by guest.id
        ), reservation as (
            insert into reservations (id, account_id, schedule_id, program_id, status, total,
                expires_at, hold_ttl_secs, refund_until, refund_percent, version, created_at)
            select reservation_id, account_id, schedules.id, program_id, 'CONFIRMED', total,
                now() + interval '1 minute', 300, starts_at - interval '24 hours', 100, 1,
                now() - interval '4 minutes'
            from sale, schedules where schedules.id = $1
        ), item as (
            insert into reservation_items (id, reservation_id, schedule_seat_id, unit_price)
            select gen_random_uuid(), reservation_id, dealt.id, price
            from dealt join guest using (turn) join sale on account_id = guest.id
            returning id, reservation_id
        ), payment as (
            insert into payments (id, reservation_id, account_id, amount, status)
            select payment_id, reservation_id, account_id, total, 'COMPLETED' from sale
        ), wallet as (
            insert into wallets (id, account_id, balance, version)
            select wallet_id, account_id, 0, 2 from sale
        ), charge as (
            insert into point_transactions
                (id, wallet_id, wallet_version, kind, amount, balance_after)
            select gen_random_uuid(), wallet_id, 1, 'CHARGE', total, total from sale
        ), debit as (
            insert into point_transactions
                (id, wallet_id, wallet_version, kind, amount, balance_after, reference_id)
            select gen_random_uuid(), wallet_id, 2, 'PAYMENT', -total, 0, payment_id from sale
        )
        insert into tickets (id, reservation_item_id, account_id, code)
        select gen_random_uuid(), item.id, account_id,
            -- As long as real ones, or no door would read them.
            left(translate(upper(replace(gen_random_uuid()::text, '-', '')), '0189', 'XYZW'), 26)
        from item join sale using (reservation_id)
        "#,
        schedule_id,
        i64::from(PEOPLE),
    )
    .execute(tx)
    .await?;
    Ok(())
}
