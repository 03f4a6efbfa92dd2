//! SQL of posters.

use super::{PosterFiles, PosterSize};
use crate::{
    catalog::model::ProgramId,
    infra::postgres::{Connection, Pool},
};

/// Writes the poster of a locked program, in place of the one before.
pub(crate) async fn upsert(
    tx: &mut Connection,
    id: ProgramId,
    poster: &PosterFiles,
) -> Result<(), sqlx::Error> {
    sqlx::query!(
        "insert into program_posters (program_id, version, thumbnail, small, large)
         values ($1, $2, $3, $4, $5)
         on conflict on constraint program_posters_pkey do update
         set version = excluded.version, thumbnail = excluded.thumbnail, small = excluded.small,
             large = excluded.large",
        id as _,
        poster.version,
        poster.thumbnail,
        poster.small,
        poster.large,
    )
    .execute(tx)
    .await?;
    Ok(())
}

/// Deletes the poster of a locked program, if it has one.
pub async fn delete(tx: &mut Connection, id: ProgramId) -> Result<(), sqlx::Error> {
    sqlx::query!("delete from program_posters where program_id = $1", id as _).execute(tx).await?;
    Ok(())
}

/// Gives the program `to`, which has no poster, the poster of `from`, if that has one.
pub async fn copy(tx: &mut Connection, from: ProgramId, to: ProgramId) -> Result<(), sqlx::Error> {
    sqlx::query!(
        "insert into program_posters (program_id, version, thumbnail, small, large)
         select $2, version, thumbnail, small, large from program_posters where program_id = $1",
        from as _,
        to as _,
    )
    .execute(tx)
    .await?;
    Ok(())
}

/// Finds a file of the poster with this version of the program named `slug`, drafts included.
pub(crate) async fn find_file(
    db: &Pool,
    slug: &str,
    version: &str,
    size: PosterSize,
) -> Result<Option<Vec<u8>>, sqlx::Error> {
    sqlx::query_scalar!(
        r#"
        select case $3 when 'thumbnail' then thumbnail when 'small' then small else large end as "file!"
        from program_posters
        where program_id = (select id from programs where slug = $1) and version = $2
        "#,
        slug,
        version,
        size.as_ref(),
    )
    .fetch_optional(db)
    .await
}
