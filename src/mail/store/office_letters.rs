//! SQL of the letters that the office writes.

use chrono::{DateTime, Utc};
use sqlx::types::Json;
use uuid::Uuid;

use crate::{infra::postgres::Pool, outbox::LetterTexts};

/// Letter as its mail says it.
#[derive(Clone, Debug)]
pub(crate) struct LetterTold {
    /// Title of the program.
    pub title: String,
    /// Start of its performance; `None` where it is about several.
    pub starts_at: Option<DateTime<Utc>>,
    /// Name of the venue; `None` likewise.
    pub venue: Option<String>,
    /// Time zone of the venue; `None` likewise.
    pub time_zone: Option<String>,
    /// Texts by the tags of their languages.
    pub texts: Json<LetterTexts>,
    /// Whether it was stopped.
    pub is_stopped: bool,
}

/// Returns a letter as its mail says it; `None` if there is none.
pub(crate) async fn find(db: &Pool, id: Uuid) -> Result<Option<LetterTold>, sqlx::Error> {
    sqlx::query_as!(
        LetterTold,
        r#"
        select p.title, performance.starts_at as "starts_at?", performance.venue as "venue?",
            performance.time_zone as "time_zone?", l.texts as "texts: Json<LetterTexts>",
            l.status = 'STOPPED' as "is_stopped!"
        from (select * from office_letters where id = $1 offset 0) l
        cross join lateral (select title from programs where id = l.program_id limit 1) p
        left join lateral (
            select s.starts_at, v.name as venue, v.time_zone
            from schedules s join venues v on v.id = s.venue_id
            where s.id = l.schedule_ids[1] and cardinality(l.schedule_ids) = 1
        ) performance on true
        "#,
        id,
    )
    .fetch_optional(db)
    .await
}
