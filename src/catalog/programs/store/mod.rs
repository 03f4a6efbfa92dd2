//! SQL of programs as administrators edit them.

pub mod announcements;
pub(crate) mod summaries;
pub mod winding_down;

use sqlx::{PgExecutor, types::Json};
use uuid::Uuid;

use super::columns::{ProgramDetails, program_columns};
use crate::{
    catalog::{
        announcements::{GivenNote, LineAnnouncement},
        editing::CancelTerms,
        guards::Guards,
        model::{DatesLeft, DrawStep, Program, ProgramId, ProgramStatus, ScheduleId},
    },
    infra::postgres::Connection,
    text::{times, translated::Translated},
};

/// Makes the statements that have every column of the form.
macro_rules! statements {
    ($( $(#[$doc:meta])* $name:ident $column:tt: $type:ty = $usual:expr; )*) => {
        /// Finds a program by its slug or its id; a draft only `with_drafts`.
        pub async fn find(
            db: impl PgExecutor<'_>,
            slug: &str,
            id: Option<Uuid>,
            with_drafts: bool,
        ) -> Result<Option<Program>, sqlx::Error> {
            let row = sqlx::query!(
                r#"
        select "#
                $( + $column + ", " )*
                + r#"
            id as "id: ProgramId", version, status as "status: ProgramStatus", queue_paused_at,
            cancelled_at, cancel_texts as "cancel_texts: Json<Translated<String>>", join_account_age_mins, join_confirmed_address, join_proof_bits,
            joins_per_address, unpaid_holds_max, cool_down_mins, poster_number,
            (select version from program_posters where program_id = programs.id) as poster,
            dates_left(id) as "dates_left!: DatesLeft",
            coalesce((
                select time_zone from schedules join venues on venues.id = venue_id
                where program_id = programs.id
                order by starts_at limit 1
            ), $4) as "time_zone!",
            (select step from queue_draws where program_id = programs.id) as "draw: DrawStep",
            (select min(opens_at) from access_gates where program_id = programs.id) as first_gate_at,
            standing_announcements(id) as "announcements!: Json<Vec<LineAnnouncement>>",
            given_ms(id) as "given_ms!", last_given(id) as "last_given: Json<GivenNote>"
        from programs
        where (slug = $1 or id = $2) and ($3 or status <> 'DRAFT')
        "#,
                slug,
                id,
                with_drafts,
                times::home().name(),
            )
            .fetch_optional(db)
            .await?;
            Ok(row.map(|row| Program {
                id: row.id,
                version: row.version,
                status: row.status,
                queue_paused_at: row.queue_paused_at,
                cancelled_at: row.cancelled_at,
                cancel_texts: row.cancel_texts.map(|texts| texts.0).unwrap_or_default(),
                time_zone: row.time_zone,
                guards: Guards {
                    account_age_mins: row.join_account_age_mins,
                    confirmed_address: row.join_confirmed_address,
                    proof_bits: row.join_proof_bits,
                    joins_per_address: row.joins_per_address,
                    unpaid_holds_max: row.unpaid_holds_max,
                    cool_down_mins: row.cool_down_mins,
                },
                poster: row.poster,
                poster_number: row.poster_number,
                dates_left: row.dates_left,
                draw: row.draw,
                first_gate_at: row.first_gate_at,
                announcements: row.announcements.0,
                given_ms: row.given_ms,
                last_given: row.last_given.map(|note| note.0),
                details: ProgramDetails { $( $name: row.$name.into(), )* },
            }))
        }

        /// Inserts a draft.
        pub async fn insert(
            tx: &mut Connection,
            id: ProgramId,
            details: &ProgramDetails,
        ) -> Result<(), sqlx::Error> {
            sqlx::query!(
                "insert into programs (id" $( + ", " + $column )* + ")
                 select $1" $( + ", " + $column )* + "
                 from jsonb_populate_record(null::programs, $2)",
                id as _,
                Json(details) as _,
            )
            .execute(tx)
            .await?;
            Ok(())
        }

        /// Writes the next edition of a locked program.
        pub async fn write(
            tx: &mut Connection,
            id: ProgramId,
            details: &ProgramDetails,
        ) -> Result<(), sqlx::Error> {
            sqlx::query!(
                "update programs
                 set (version" $( + ", " + $column )* + ") = (
                     select programs.version + 1" $( + ", edited." + $column )* + "
                     from jsonb_populate_record(null::programs, $2) edited
                 )
                 where id = $1",
                id as _,
                Json(details) as _,
            )
            .execute(tx)
            .await?;
            Ok(())
        }
    };
}

program_columns!(statements);

/// Finds a program by its id, drafts included.
pub async fn find_by_id(
    db: impl PgExecutor<'_>,
    id: ProgramId,
) -> Result<Option<Program>, sqlx::Error> {
    find(db, "", Some(id.0), true).await
}

/// Locks the program against other edits until the transaction ends.
pub async fn lock(tx: &mut Connection, id: ProgramId) -> Result<(), sqlx::Error> {
    sqlx::query!("select id from programs where id = $1 for no key update", id as _)
        .fetch_optional(tx)
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

/// Writes what staff say about the cancellation of a locked, cancelled program.
pub(crate) async fn write_cancel_terms(
    tx: &mut Connection,
    id: ProgramId,
    terms: &CancelTerms,
) -> Result<(), sqlx::Error> {
    sqlx::query!(
        "update programs set refund_target = $2, cancel_texts = $3 where id = $1",
        id as _,
        terms.refunds as _,
        terms.words.stored() as _,
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
pub async fn write_paused(
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
