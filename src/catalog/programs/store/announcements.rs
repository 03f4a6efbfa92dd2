//! SQL of announcements to the line of a program.

use sqlx::{PgExecutor, types::Json};

use crate::{
    catalog::{
        announcements::{AnnouncementId, LineAnnouncement, NewAnnouncement, PastAnnouncement},
        model::ProgramId,
    },
    infra::{ids::new_id, postgres::Connection},
    text::translated::Translated,
};

/// Inserts an announcement of a locked program.
pub(crate) async fn insert(
    tx: &mut Connection,
    program_id: ProgramId,
    said: &NewAnnouncement,
    is_of_pause: bool,
) -> Result<(), sqlx::Error> {
    sqlx::query!(
        r#"
        insert into queue_announcements (id, program_id, words, is_of_pause, expected_until)
        values ($1, $2, $3, $4, $5)
        "#,
        AnnouncementId(new_id()) as _,
        program_id as _,
        Json(&said.words) as _,
        is_of_pause,
        said.expected_until,
    )
    .execute(tx)
    .await?;
    Ok(())
}

/// Ends what stands of a locked program: explanations of a pause, other announcements, or both.
pub(crate) async fn end(
    tx: &mut Connection,
    program_id: ProgramId,
    are_of_pause: &[bool],
) -> Result<(), sqlx::Error> {
    sqlx::query!(
        r#"
        update queue_announcements set ended_at = clock_timestamp()
        where program_id = $1 and is_of_pause = any($2) and ended_at is null
        "#,
        program_id as _,
        are_of_pause,
    )
    .execute(tx)
    .await?;
    Ok(())
}

/// Ends one announcement of a locked program; returns whether it stood.
pub(crate) async fn end_one(
    tx: &mut Connection,
    program_id: ProgramId,
    id: AnnouncementId,
) -> Result<bool, sqlx::Error> {
    let ended = sqlx::query!(
        r#"
        update queue_announcements set ended_at = clock_timestamp()
        where id = $2 and program_id = $1 and ended_at is null
        "#,
        program_id as _,
        id as _,
    )
    .execute(tx)
    .await?;
    Ok(ended.rows_affected() == 1)
}

/// Lists the newest announcements of a program.
pub async fn list_newest(
    db: impl PgExecutor<'_>,
    program_id: ProgramId,
    rows_max: i64,
) -> Result<Vec<PastAnnouncement>, sqlx::Error> {
    let rows = sqlx::query!(
        r#"
        select id as "id: AnnouncementId", words as "words: Json<Translated<String>>", is_of_pause,
            expected_until, made_at, ended_at
        from queue_announcements
        where program_id = $1
        order by made_at desc
        limit $2
        "#,
        program_id as _,
        rows_max,
    )
    .fetch_all(db)
    .await?;
    let past = rows.into_iter().map(|row| PastAnnouncement {
        said: LineAnnouncement {
            id: row.id,
            words: row.words.0,
            is_of_pause: row.is_of_pause,
            expected_until: row.expected_until,
            made_at: row.made_at,
        },
        ended_at: row.ended_at,
    });
    Ok(past.collect())
}
