//! Takes a rehearsal out of the database again.

use uuid::Uuid;

use crate::infra::postgres::Connection;

/// Removes tickets and payments of the rehearsed program.
pub(crate) async fn delete_sales(tx: &mut Connection, program_id: Uuid) -> Result<(), sqlx::Error> {
    sqlx::query!(
        r#"
        with mine as (
            select id from reservations where program_id = $1
        ), tickets as (
            delete from tickets where reservation_item_id in
                (select id from reservation_items where reservation_id in (select id from mine))
        )
        delete from payments where reservation_id in (select id from mine)
        "#,
        program_id,
    )
    .execute(tx)
    .await?;
    Ok(())
}

/// Removes what was reserved. In a statement of its own: a foreign key is checked when a
/// statement ends.
pub(crate) async fn delete_reservations(
    tx: &mut Connection,
    program_id: Uuid,
) -> Result<(), sqlx::Error> {
    sqlx::query!(
        r#"
        with items as (
            delete from reservation_items where reservation_id in
                (select id from reservations where program_id = $1)
        )
        delete from reservations where program_id = $1
        "#,
        program_id,
    )
    .execute(tx)
    .await?;
    Ok(())
}

/// Removes the line.
pub(crate) async fn delete_places_in_line(
    tx: &mut Connection,
    program_id: Uuid,
) -> Result<(), sqlx::Error> {
    sqlx::query!(
        r#"
        with tokens as (delete from queue_tokens where program_id = $1)
        update queue_numbers set next_number = 1 where program_id = $1
        "#,
        program_id,
    )
    .execute(tx)
    .await?;
    Ok(())
}

/// Removes the program with its line, performance, seats and venue.
pub(crate) async fn delete_program(
    tx: &mut Connection,
    program_id: Uuid,
) -> Result<(), sqlx::Error> {
    sqlx::query!(
        r#"
        with mine as (select id, venue_id from schedules where program_id = $1),
            tokens as (delete from queue_tokens where program_id = $1),
            gates as (delete from queue_gates where program_id = $1),
            numbers as (delete from queue_numbers where program_id = $1),
            zones as (delete from zones where schedule_id in (select id from mine)),
            on_sale as (delete from schedule_seats where schedule_id in (select id from mine)),
            performances as (delete from schedules where id in (select id from mine)),
            seats as (delete from seats where venue_id in (select venue_id from mine)),
            venues as (delete from venues where id in (select venue_id from mine))
        delete from programs where id = $1
        "#,
        program_id,
    )
    .execute(tx)
    .await?;
    Ok(())
}

/// Removes the people's points and the house's side of them: the record of throw-away wallets
/// is the only one that may go.
pub(crate) async fn delete_wallets(tx: &mut Connection, host: &str) -> Result<(), sqlx::Error> {
    sqlx::query!(
        r#"
        with mine as (
            select wallets.id from wallets join accounts on accounts.id = account_id
            where email like '%@' || $1::text and is_throwaway(accounts.id)
        ), house as (
            delete from house_entries where wallet_id in (select id from mine)
        ), entries as (
            delete from point_transactions where wallet_id in (select id from mine)
        )
        delete from wallets where id in (select id from mine)
        "#,
        host,
    )
    .execute(tx)
    .await?;
    Ok(())
}

/// Removes the people.
pub(crate) async fn delete_people(tx: &mut Connection, host: &str) -> Result<(), sqlx::Error> {
    sqlx::query!(
        r#"
        with mine as (
            select id from accounts where email like '%@' || $1::text and is_throwaway(accounts.id)
        ), keys as (
            delete from idempotency_keys where account_id in (select id from mine)
        ), sessions as (
            delete from sessions where account_id in (select id from mine)
        )
        delete from accounts where id in (select id from mine)
        "#,
        host,
    )
    .execute(tx)
    .await?;
    Ok(())
}
