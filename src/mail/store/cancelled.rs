//! SQL of programs that were cancelled, and of the places in line that ended with them.

use sqlx::types::Json;
use uuid::Uuid;

use crate::{entry_queue::QueueNumber, infra::postgres::Pool, text::translated::Translated};

/// Place in a line, or entry in its draw, that ended with its program.
pub(crate) struct CancelledPlace {
    /// Name of the account.
    pub name: String,
    /// Title of the program.
    pub title: String,
    /// Name of the program in addresses.
    pub slug: String,
    /// Arrival order; `None` for an entry without a number.
    pub queue_number: Option<QueueNumber>,
    /// Words of the office about the cancellation, or about that of the last performance.
    pub cancel_texts: Option<Json<Translated<String>>>,
}

/// Returns the place of a token, or of an entry that has the same id; `None` if there is neither.
pub(crate) async fn find_place(db: &Pool, id: Uuid) -> Result<Option<CancelledPlace>, sqlx::Error> {
    sqlx::query_as!(
        CancelledPlace,
        r#"
        select a.name, p.title, p.slug, place.queue_number as "queue_number?: QueueNumber",
            coalesce(p.cancel_texts, (
                select cancel_texts from schedules
                where program_id = p.id and cancel_texts is not null
                order by cancelled_at desc
                limit 1
            )) as "cancel_texts: Json<Translated<String>>"
        from (
            select account_id, program_id, queue_number from queue_tokens where id = $1
            union all
            select account_id, program_id, null from queue_draw_entries where id = $1
        ) place
        join accounts a on a.id = place.account_id
        join programs p on p.id = place.program_id
        order by place.queue_number nulls last
        limit 1
        "#,
        id,
    )
    .fetch_optional(db)
    .await
}

/// Program as a mail about its cancellation describes it.
pub(crate) struct CancelledShow {
    /// Title of the program.
    pub title: String,
    /// Name of the program in addresses.
    pub slug: String,
    /// Words of the office about the cancellation of its performance, or of itself.
    pub cancel_texts: Option<Json<Translated<String>>>,
}

/// Returns a program, of which one performance or all were cancelled, as a mail describes it; `None` if there is none.
pub(crate) async fn find_show(
    db: &Pool,
    id: Uuid,
    schedule_id: Option<Uuid>,
) -> Result<Option<CancelledShow>, sqlx::Error> {
    sqlx::query_as!(
        CancelledShow,
        r#"
        select title, slug, case when $2::uuid is null then cancel_texts else (
            select cancel_texts from schedules where id = $2 and program_id = $1
        ) end as "cancel_texts: Json<Translated<String>>"
        from programs where id = $1
        "#,
        id,
        schedule_id,
    )
    .fetch_optional(db)
    .await
}
