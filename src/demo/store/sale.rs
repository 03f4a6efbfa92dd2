//! SQL that sells out a performance, with every row that its purchases leave behind.

use uuid::Uuid;

use super::PEOPLE;
use crate::infra::postgres::Connection;

/// Sells every seat of a performance to guests, at most two each: queue token, charge, reservation,
/// payment and tickets.
pub(crate) async fn sell_every_seat(
    tx: &mut Connection,
    schedule_id: Uuid,
) -> Result<(), sqlx::Error> {
    insert_reservations(tx, schedule_id).await?;
    insert_payments(tx, schedule_id).await
}

/// Inserts one reservation for each guest, one after the other, so that no two admissions overlap.
async fn insert_reservations(tx: &mut Connection, schedule_id: Uuid) -> Result<(), sqlx::Error> {
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
                sum(price)::bigint as total, min(turn) + 1 as queue_number,
                now() - interval '4 minutes' + min(turn) * interval '1 second' as made_at
            from dealt join guest using (turn)
            group by guest.id
        ), performance as (
            select schedules.*, places_per_account_max
            from schedules join programs on programs.id = program_id
            where schedules.id = $1
        ), numbers as (
            update queue_numbers set next_number = (select count(*) + 1 from sale)
            where program_id = (select program_id from performance)
        ), token as (
            insert into queue_tokens (id, program_id, account_id, queue_number, status, issued_at,
                admitted_at, stay_ends_at, expires_at, ended_at)
            select gen_random_uuid(), program_id, account_id, queue_number, 'COMPLETED', made_at,
                made_at, made_at + interval '10 minutes', made_at + interval '10 minutes',
                made_at + interval '900 milliseconds'
            from sale, performance
        ), reservation as (
            insert into reservations (id, account_id, schedule_id, program_id, status, total,
                expires_at, hold_ttl_secs, refund_until, refund_percent, places_max, confirmed_at,
                settled_at, version, created_at)
            select reservation_id, account_id, id, program_id, 'CONFIRMED', total,
                made_at + interval '300 seconds', 300, starts_at - interval '24 hours', 100,
                places_per_account_max, made_at + interval '900 milliseconds',
                made_at + interval '900 milliseconds', 1, made_at
            from sale, performance
        )
        insert into reservation_items
            (id, reservation_id, schedule_id, schedule_seat_id, unit_price)
        select gen_random_uuid(), reservation_id, $1, dealt.id, price
        from dealt join guest using (turn) join sale on account_id = guest.id
        "#,
        schedule_id,
        i64::from(PEOPLE),
    )
    .execute(tx)
    .await?;
    Ok(())
}

/// Charges the total of each reservation, pays it and issues its tickets.
async fn insert_payments(tx: &mut Connection, schedule_id: Uuid) -> Result<(), sqlx::Error> {
    sqlx::query!(
        r#"
        with sale as (
            select id as reservation_id, account_id, total, confirmed_at,
                gen_random_uuid() as payment_id, gen_random_uuid() as wallet_id
            from reservations where schedule_id = $1
        ), payment as (
            insert into payments (id, reservation_id, account_id, amount, status, created_at)
            select payment_id, reservation_id, account_id, total, 'COMPLETED', confirmed_at
            from sale
        ), wallet as (
            insert into wallets (id, account_id, balance, version)
            select wallet_id, account_id, 0, 2 from sale
        ), charge as (
            insert into point_transactions
                (id, wallet_id, wallet_version, kind, amount, balance_after, reference_id)
            select gen_random_uuid(), wallet_id, 1, 'CHARGE', total, total, gen_random_uuid()
            from sale
        ), debit as (
            insert into point_transactions
                (id, wallet_id, wallet_version, kind, amount, balance_after, reference_id)
            select gen_random_uuid(), wallet_id, 2, 'PAYMENT', -total, 0, payment_id from sale
        ), house as (
            insert into house_entries (wallet_id, wallet_version, amount)
            select wallet_id, 1, -total from sale union all select wallet_id, 2, total from sale
        )
        insert into tickets (id, reservation_item_id, number, item_quantity, account_id, code)
        select gen_random_uuid(), item.id, 1, 1, account_id,
            -- As long as real ones, or no door would read them.
            left(translate(upper(replace(gen_random_uuid()::text, '-', '')), '0189', 'XYZW'), 26)
        from reservation_items item join sale using (reservation_id)
        "#,
        schedule_id,
    )
    .execute(tx)
    .await?;
    Ok(())
}
