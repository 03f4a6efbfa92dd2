//! SQL of performances with an open door.

use chrono::{DateTime, Utc};

use crate::{catalog::ScheduleId, infra::postgres::Pool};

/// Bound on performances listed at once.
const PERFORMANCES_MAX: i64 = 200;

/// Performance whose door can be open.
#[derive(Clone, Debug, serde::Serialize)]
pub(crate) struct Evening {
    pub(crate) schedule_id: ScheduleId,
    pub(crate) title: String,
    pub(crate) starts_at: DateTime<Utc>,
    pub(crate) venue_name: String,
    #[serde(skip)]
    pub(crate) time_zone: String,
}

/// Lists published performances from twelve hours ago to three weeks ahead, soonest first; or
/// the one with `id`, at any time.
pub(crate) async fn list_evenings(
    db: &Pool,
    now: DateTime<Utc>,
    id: Option<ScheduleId>,
) -> Result<Vec<Evening>, sqlx::Error> {
    sqlx::query_as!(
        Evening,
        r#"
        select d.id as "schedule_id: ScheduleId", p.title, d.starts_at, v.name as venue_name,
               v.time_zone
        from schedules d
        join programs p on p.id = d.program_id and p.status = 'PUBLISHED'
        join venues v on v.id = d.venue_id
        where case when $2::uuid is null
            then d.starts_at between $1::timestamptz - interval '12 hours'
                                 and $1::timestamptz + interval '21 days'
            else d.id = $2 end
        order by d.starts_at, p.title
        limit $3
        "#,
        now,
        id.map(|id| id.0),
        PERFORMANCES_MAX,
    )
    .fetch_all(db)
    .await
}
