//! SQL of the performances that mails describe.

use chrono::{DateTime, Utc};
use sqlx::types::Json;
use uuid::Uuid;

use crate::{infra::postgres::Pool, text::translated::Translated};

/// Performance as a mail describes it.
#[derive(Clone, Debug)]
pub(crate) struct PerformanceTold {
    /// Title of the program.
    pub title: String,
    /// Start of the performance.
    pub starts_at: DateTime<Utc>,
    /// Name of the venue.
    pub venue: String,
    /// Time zone of the venue.
    pub time_zone: String,
    /// Whether it, or its program, is cancelled.
    pub is_cancelled: bool,
}

/// Returns a performance as a mail describes it; `None` if it does not exist.
pub(crate) async fn find(
    db: &Pool,
    schedule_id: Uuid,
) -> Result<Option<PerformanceTold>, sqlx::Error> {
    sqlx::query_as!(
        PerformanceTold,
        r#"
        select p.title, s.starts_at, v.name as venue, v.time_zone,
            s.cancelled_at is not null or p.status = 'CANCELLED' as "is_cancelled!"
        from schedules s
        join programs p on p.id = s.program_id
        join venues v on v.id = s.venue_id
        where s.id = $1
        "#,
        schedule_id,
    )
    .fetch_optional(db)
    .await
}

/// Whether a performance begins at this moment, which is still to come, and is not cancelled.
pub(crate) async fn is_ahead(
    db: &Pool,
    (schedule_id, starts_at): (Uuid, DateTime<Utc>),
) -> Result<bool, sqlx::Error> {
    sqlx::query_scalar!(
        r#"
        select exists (
            select from schedules s
            join programs p on p.id = s.program_id
            where s.id = $1 and s.starts_at = $2 and s.starts_at > clock_timestamp()
                and s.cancelled_at is null and p.status <> 'CANCELLED'
        ) as "is_ahead!"
        "#,
        schedule_id,
        starts_at,
    )
    .fetch_one(db)
    .await
}

/// Move of a performance as a mail describes it.
#[derive(Clone, Debug)]
pub(crate) struct MoveTold {
    /// Start after it.
    pub is_at: DateTime<Utc>,
    /// Words of the office, as plain text.
    pub texts: Option<Json<Translated<String>>>,
    /// Until when people who had bought before may give everything back in full.
    pub full_refund_until: DateTime<Utc>,
}

/// Returns a move as a mail describes it; `None` if it does not exist.
pub(crate) async fn find_move(db: &Pool, id: Uuid) -> Result<Option<MoveTold>, sqlx::Error> {
    sqlx::query_as!(
        MoveTold,
        r#"
        select is_at as "is_at!", texts_of(texts, words) as "texts: Json<Translated<String>>",
            full_refund_until as "full_refund_until!"
        from schedule_moves where id = $1 and was_at is not null
        "#,
        id,
    )
    .fetch_optional(db)
    .await
}
