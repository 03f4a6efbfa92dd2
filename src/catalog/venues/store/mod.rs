//! SQL of venues and their seats.

mod columns;
pub(crate) mod kinds;

use sqlx::PgExecutor;

use crate::{
    catalog::{
        editing::{VenueDetails, VenueEdition},
        model::{SeatId, VenueId},
        venues::plan::SeatPlan,
    },
    infra::postgres::{Connection, Pool},
};

/// Bound on venues listed at once.
const VENUES_MAX: i64 = 500;

/// Lists all venues by name, or the one with `id`.
pub(crate) async fn list_editions(
    db: impl PgExecutor<'_>,
    id: Option<VenueId>,
) -> Result<Vec<VenueEdition>, sqlx::Error> {
    let rows = sqlx::query!(
        r#"
        select id as "id: VenueId", version, name, address, time_zone,
            (select count(*) from seats where venue_id = venues.id) as "seats!"
        from venues
        where $1::uuid is null or id = $1
        order by name
        limit $2
        "#,
        id.map(|id| id.0),
        VENUES_MAX,
    )
    .fetch_all(db)
    .await?;
    Ok(rows
        .into_iter()
        .map(|row| VenueEdition {
            id: row.id,
            version: row.version,
            details: VenueDetails {
                name: row.name,
                address: row.address,
                time_zone: row.time_zone,
            },
            seats: row.seats,
        })
        .collect())
}

/// Locks the venue against other edits until the transaction ends.
pub(crate) async fn lock(tx: &mut Connection, id: VenueId) -> Result<(), sqlx::Error> {
    sqlx::query!("select id from venues where id = $1 for no key update", id as _)
        .fetch_optional(tx)
        .await?;
    Ok(())
}

pub(crate) async fn insert(
    tx: &mut Connection,
    id: VenueId,
    details: &VenueDetails,
) -> Result<(), sqlx::Error> {
    sqlx::query!(
        "insert into venues (id, name, address, time_zone) values ($1, $2, $3, $4)",
        id as _,
        details.name,
        details.address,
        details.time_zone,
    )
    .execute(tx)
    .await?;
    Ok(())
}

/// Writes the next edition of a locked venue.
pub(crate) async fn write(
    tx: &mut Connection,
    id: VenueId,
    details: &VenueDetails,
) -> Result<(), sqlx::Error> {
    sqlx::query!(
        r#"
        update venues set name = $2, address = $3, time_zone = $4, version = version + 1
        where id = $1
        "#,
        id as _,
        details.name,
        details.address,
        details.time_zone,
    )
    .execute(tx)
    .await?;
    Ok(())
}

/// Seat of a venue that a plan does not contain.
pub(crate) struct Removed {
    pub(crate) id: SeatId,
    pub(crate) name: String,
    /// Whether any performance has the seat.
    pub(crate) is_used: bool,
}

/// Lists the seats of the venue that `plan` does not contain; held and sold ones first.
pub(crate) async fn list_removed(
    tx: &mut Connection,
    venue_id: VenueId,
    plan: &SeatPlan,
) -> Result<Vec<Removed>, sqlx::Error> {
    let (sections, rows, numbers) = columns::names(plan);
    sqlx::query_as!(
        Removed,
        r#"
        select s.id as "id: SeatId",
            s.section || ' ' || s.row_label || '-' || s.number as "name!",
            use.n > 0 as "is_used!"
        from seats s
        cross join lateral (
            select count(*) as n,
                count(*) filter (where seat_is_taken(c.status, c.return_id)) as n_taken
            from schedule_seats c where c.seat_id = s.id
        ) use
        where venue_id = $1
          and not exists (
            select from unnest($2::text[], $3::text[], $4::integer[]) as p (section, row_label, number)
            where p.section = s.section and p.row_label = s.row_label and p.number = s.number
          )
        order by use.n_taken desc, s.section, s.row_label, s.number
        "#,
        venue_id as _,
        &sections,
        &rows,
        &numbers,
    )
    .fetch_all(tx)
    .await
}

/// Deletes seats; none of them may belong to a performance.
pub(crate) async fn delete_seats(tx: &mut Connection, ids: &[SeatId]) -> Result<(), sqlx::Error> {
    sqlx::query!("delete from seats where id = any($1)", ids as _).execute(tx).await?;
    Ok(())
}

/// Whether a performance is at a venue.
pub(crate) async fn is_performed(tx: &mut Connection, id: VenueId) -> Result<bool, sqlx::Error> {
    sqlx::query_scalar!(
        r#"select exists (select from schedules where venue_id = $1) as "is!""#,
        id as _
    )
    .fetch_one(tx)
    .await
}

/// Deletes the seats of a venue at which nothing is performed.
pub(crate) async fn delete_all_seats(tx: &mut Connection, id: VenueId) -> Result<(), sqlx::Error> {
    sqlx::query!("delete from seats where venue_id = $1", id as _).execute(tx).await?;
    Ok(())
}

/// Deletes a locked venue without seats.
pub(crate) async fn delete(tx: &mut Connection, id: VenueId) -> Result<(), sqlx::Error> {
    sqlx::query!("delete from venues where id = $1", id as _).execute(tx).await?;
    Ok(())
}

/// Inserts the seats of `plan`, writes the positions, kinds and price categories of those that exist, and counts a
/// new edition of the venue.
pub(crate) async fn write_seats(
    tx: &mut Connection,
    venue_id: VenueId,
    plan: &SeatPlan,
) -> Result<(), sqlx::Error> {
    let (sections, rows, numbers) = columns::names(plan);
    let (xs, ys): (Vec<f32>, Vec<f32>) = plan.seats().iter().map(|seat| (seat.x, seat.y)).unzip();
    let (kinds, companions_of) = columns::kinds(plan);
    let categories = columns::categories(plan);
    sqlx::query!(
        r#"
        with changed as (
            update venues set version = version + 1 where id = $1
        )
        insert into seats
            (venue_id, section, row_label, number, x, y, kind, companion_of, price_category)
        select $1, section, row_label, number, x, y, kind, companion_of, price_category
        from unnest($2::text[], $3::text[], $4::integer[], $5::real[], $6::real[], $7::text[],
            $8::integer[], $9::text[])
            as p (section, row_label, number, x, y, kind, companion_of, price_category)
        on conflict on constraint seats_place_key
            do update set x = excluded.x, y = excluded.y, kind = excluded.kind,
                companion_of = excluded.companion_of, price_category = excluded.price_category
            where (seats.x, seats.y, seats.kind, seats.companion_of, seats.price_category)
                is distinct from (excluded.x, excluded.y, excluded.kind, excluded.companion_of,
                    excluded.price_category)
        "#,
        venue_id as _,
        &sections,
        &rows,
        &numbers,
        &xs,
        &ys,
        &kinds,
        &companions_of as _,
        &categories as _,
    )
    .execute(tx)
    .await?;
    Ok(())
}

/// Lists the seats of a venue in the order of their plan.
pub(crate) async fn list_seats(
    db: &Pool,
    venue_id: VenueId,
) -> Result<Vec<crate::catalog::venues::plan::PlannedSeat>, sqlx::Error> {
    sqlx::query_as!(
        crate::catalog::venues::plan::PlannedSeat,
        r#"
        select section, row_label as row, number, x, y, kind as "kind: _", companion_of,
            price_category as category
        from seats where venue_id = $1
        order by id + 0 -- the index of the ids holds the seats of all venues
        "#,
        venue_id as _,
    )
    .fetch_all(db)
    .await
}
