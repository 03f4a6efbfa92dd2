//! SQL of the list of programs.

use uuid::Uuid;

use crate::{
    catalog::{
        editing::ProgramSummary,
        model::{ProgramId, ProgramStatus},
    },
    infra::postgres::{Pool, page::PAGE_ROWS},
    text::times,
};

/// Lists programs whose title or slug contains `part`, newest first: the page after the program
/// `after`, and one more if there is one.
pub async fn list_program_summaries(
    db: &Pool,
    part: &str,
    after: Option<Uuid>,
) -> Result<Vec<ProgramSummary>, sqlx::Error> {
    sqlx::query_as!(
        ProgramSummary,
        r#"
        select id as "id: ProgramId", slug, title, status as "status: ProgramStatus", on_sale_at,
            off_sale_at,
            (select count(*) from schedules where program_id = programs.id) as "schedules!",
            coalesce((
                select time_zone from schedules join venues on venues.id = venue_id
                where program_id = programs.id
                order by starts_at limit 1
            ), $4) as "time_zone!"
        from programs
        where strpos(lower(title || ' ' || slug), lower($1)) > 0
          and ($2::uuid is null or id < $2)
        order by id desc
        limit $3
        "#,
        part,
        after,
        PAGE_ROWS + 1,
        times::home().name(),
    )
    .fetch_all(db)
    .await
}
