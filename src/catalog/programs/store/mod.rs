//! SQL of programs as administrators edit them.

pub(crate) mod summaries;
pub(crate) mod winding_down;

use sqlx::PgExecutor;

use crate::{
    catalog::{
        editing::{ProgramDetails, ProgramEdition},
        guards::Guards,
        model::{ProgramId, ProgramStatus, ScheduleId},
    },
    infra::postgres::Connection,
    text::times,
};

/// Returns the program's current edition, drafts included.
pub(crate) async fn find_edition(
    db: impl PgExecutor<'_>,
    id: ProgramId,
) -> Result<Option<ProgramEdition>, sqlx::Error> {
    let row = sqlx::query!(
        r#"
        select version, status as "status: ProgramStatus", queue_paused_at, cancelled_at,
            slug, title, description, on_sale_at, off_sale_at, queue_capacity,
            queue_rate_per_second, stay_secs, hold_ttl_secs, places_per_account_max,
            places_per_order_min, no_single_seats, offer_mins,
            refund_until_hours, refund_percent, return_fee_percent, running_mins, age_min,
            join_account_age_mins, join_confirmed_address,
            join_proof_bits, joins_per_address, unpaid_holds_max, cool_down_mins,
            (select version from program_posters where program_id = programs.id) as poster,
            coalesce((
                select time_zone from schedules join venues on venues.id = venue_id
                where program_id = programs.id
                order by starts_at limit 1
            ), $2) as "time_zone!"
        from programs
        where id = $1
        "#,
        id as _,
        times::home().name(),
    )
    .fetch_optional(db)
    .await?;
    Ok(row.map(|row| ProgramEdition {
        id,
        version: row.version,
        status: row.status,
        queue_paused_at: row.queue_paused_at,
        cancelled_at: row.cancelled_at,
        time_zone: row.time_zone,
        poster: row.poster,
        guards: Guards {
            account_age_mins: row.join_account_age_mins,
            confirmed_address: row.join_confirmed_address,
            proof_bits: row.join_proof_bits,
            joins_per_address: row.joins_per_address,
            unpaid_holds_max: row.unpaid_holds_max,
            cool_down_mins: row.cool_down_mins,
        },
        details: ProgramDetails {
            slug: row.slug,
            title: row.title,
            description: row.description,
            on_sale_at: row.on_sale_at,
            off_sale_at: row.off_sale_at,
            queue_capacity: row.queue_capacity,
            queue_rate_per_second: row.queue_rate_per_second,
            stay_secs: row.stay_secs,
            hold_ttl_secs: row.hold_ttl_secs,
            places_per_account_max: row.places_per_account_max,
            places_per_order_min: row.places_per_order_min,
            no_single_seats: row.no_single_seats,
            offer_mins: row.offer_mins,
            refund_until_hours: row.refund_until_hours,
            refund_percent: row.refund_percent,
            return_fee_percent: row.return_fee_percent,
            running_mins: row.running_mins,
            age_min: row.age_min,
        },
    }))
}

/// Locks the program against other edits until the transaction ends.
pub(crate) async fn lock(tx: &mut Connection, id: ProgramId) -> Result<(), sqlx::Error> {
    sqlx::query!("select id from programs where id = $1 for no key update", id as _)
        .fetch_optional(tx)
        .await?;
    Ok(())
}

pub(crate) async fn insert(
    tx: &mut Connection,
    id: ProgramId,
    details: &ProgramDetails,
) -> Result<(), sqlx::Error> {
    sqlx::query!(
        r#"
        insert into programs (id, slug, title, description, on_sale_at, off_sale_at,
            queue_capacity, queue_rate_per_second, stay_secs, hold_ttl_secs,
            places_per_account_max, refund_until_hours, refund_percent, places_per_order_min,
            no_single_seats, offer_mins, return_fee_percent, running_mins, age_min)
        values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18,
            $19)
        "#,
        id as _,
        details.slug,
        details.title,
        details.description,
        details.on_sale_at,
        details.off_sale_at,
        details.queue_capacity,
        details.queue_rate_per_second,
        details.stay_secs,
        details.hold_ttl_secs,
        details.places_per_account_max,
        details.refund_until_hours,
        details.refund_percent,
        details.places_per_order_min,
        details.no_single_seats,
        details.offer_mins,
        details.return_fee_percent,
        details.running_mins,
        details.age_min,
    )
    .execute(tx)
    .await?;
    Ok(())
}

/// Lists the `slugs` that programs have.
pub(crate) async fn list_taken_slugs(
    tx: &mut Connection,
    slugs: &[String],
) -> Result<Vec<String>, sqlx::Error> {
    sqlx::query_scalar!("select slug from programs where slug = any($1)", slugs).fetch_all(tx).await
}

/// Writes the next edition of a locked program.
pub(crate) async fn write(
    tx: &mut Connection,
    id: ProgramId,
    details: &ProgramDetails,
) -> Result<(), sqlx::Error> {
    sqlx::query!(
        r#"
        update programs
        set slug = $2, title = $3, description = $4, on_sale_at = $5, off_sale_at = $6,
            queue_capacity = $7, queue_rate_per_second = $8, stay_secs = $9, hold_ttl_secs = $10,
            places_per_account_max = $11, refund_until_hours = $12, refund_percent = $13,
            places_per_order_min = $14, no_single_seats = $15, offer_mins = $16,
            return_fee_percent = $17, running_mins = $18, age_min = $19, version = version + 1
        where id = $1
        "#,
        id as _,
        details.slug,
        details.title,
        details.description,
        details.on_sale_at,
        details.off_sale_at,
        details.queue_capacity,
        details.queue_rate_per_second,
        details.stay_secs,
        details.hold_ttl_secs,
        details.places_per_account_max,
        details.refund_until_hours,
        details.refund_percent,
        details.places_per_order_min,
        details.no_single_seats,
        details.offer_mins,
        details.return_fee_percent,
        details.running_mins,
        details.age_min,
    )
    .execute(tx)
    .await?;
    Ok(())
}

/// Writes the guards of a locked program, as its next edition.
pub(crate) async fn write_guards(
    tx: &mut Connection,
    id: ProgramId,
    guards: &Guards,
) -> Result<(), sqlx::Error> {
    sqlx::query!(
        r#"
        update programs
        set join_account_age_mins = $2, join_proof_bits = $3, joins_per_address = $4,
            unpaid_holds_max = $5, cool_down_mins = $6, join_confirmed_address = $7,
            version = version + 1
        where id = $1
        "#,
        id as _,
        guards.account_age_mins,
        guards.proof_bits,
        guards.joins_per_address,
        guards.unpaid_holds_max,
        guards.cool_down_mins,
        guards.confirmed_address,
    )
    .execute(tx)
    .await?;
    Ok(())
}

/// Writes the status of a locked program, as its next edition; a cancellation records its time.
pub(crate) async fn write_status(
    tx: &mut Connection,
    id: ProgramId,
    status: ProgramStatus,
) -> Result<(), sqlx::Error> {
    sqlx::query!(
        r#"
        update programs
        set status = $2, version = version + 1,
            cancelled_at = case when $2 = 'CANCELLED' then clock_timestamp() end
        where id = $1
        "#,
        id as _,
        status as _,
    )
    .execute(tx)
    .await?;
    Ok(())
}

/// Makes the next edition of a locked program after a change of data outside its row.
pub(crate) async fn write_next(tx: &mut Connection, id: ProgramId) -> Result<(), sqlx::Error> {
    sqlx::query!("update programs set version = version + 1 where id = $1", id as _)
        .execute(tx)
        .await?;
    Ok(())
}

/// Pauses or resumes the queue of a locked program, as its next edition.
pub(crate) async fn write_paused(
    tx: &mut Connection,
    id: ProgramId,
    is_paused: bool,
) -> Result<(), sqlx::Error> {
    sqlx::query!(
        r#"
        update programs
        set queue_paused_at = case when $2 then clock_timestamp() end, version = version + 1
        where id = $1
        "#,
        id as _,
        is_paused,
    )
    .execute(tx)
    .await?;
    Ok(())
}

/// Locks the program of a performance, if there is one, as [`lock`] does.
pub(crate) async fn lock_of_schedule(
    tx: &mut Connection,
    schedule_id: ScheduleId,
) -> Result<(), sqlx::Error> {
    sqlx::query!(
        r#"
        select id from programs
        where id = (select program_id from schedules where id = $1)
        for no key update
        "#,
        schedule_id as _,
    )
    .fetch_optional(tx)
    .await?;
    Ok(())
}

/// Returns whether any performance of the program has a seat or a place.
pub(crate) async fn has_inventory(tx: &mut Connection, id: ProgramId) -> Result<bool, sqlx::Error> {
    sqlx::query_scalar!(
        r#"
        select exists (
            select from schedules d
            where program_id = $1
              and (exists (select from schedule_seats where schedule_id = d.id offset 0)
                   or exists (select from zones where schedule_id = d.id and capacity > 0 offset 0))
        ) as "has!"
        "#,
        id as _,
    )
    .fetch_one(tx)
    .await
}
