//! SQL of venues and their seats.

mod columns;
pub mod kinds;

use sqlx::PgExecutor;

use self::columns::Details;
use crate::{
    catalog::{
        editing::{VenueDetails, VenueEdition},
        model::{SeatId, VenueId},
        venues::{
            kind::SeatKind,
            plan::{PlannedSeat, difference::SavedSeat},
        },
    },
    infra::postgres::Connection,
};

/// Bound on venues listed at once.
const VENUES_MAX: i64 = 500;
/// Seats deleted in one statement.
const DELETED_MAX: i64 = 5_000;

/// Locks a venue against edits until the transaction ends.
pub(super) async fn lock_shared(tx: &mut Connection, id: VenueId) -> Result<(), sqlx::Error> {
    sqlx::query!("select id from venues where id = $1 for share", id as _)
        .fetch_optional(tx)
        .await?;
    Ok(())
}

/// Lists all venues by name, or the one with `id`.
pub async fn list_editions(
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
pub async fn lock(tx: &mut Connection, id: VenueId) -> Result<(), sqlx::Error> {
    sqlx::query!("select id from venues where id = $1 for no key update", id as _)
        .fetch_optional(tx)
        .await?;
    Ok(())
}

/// Writes a new venue.
pub async fn insert(
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
pub async fn write(
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

/// Seat of a venue that a performance has.
pub(crate) struct UsedSeat {
    pub name: String,
    /// Whether it is held or sold for one.
    pub is_taken: bool,
}

/// Lists at most `rows_max` of the seats `ids` that a performance has; held and sold ones first.
pub(crate) async fn list_used(
    tx: &mut Connection,
    ids: &[SeatId],
    rows_max: i64,
) -> Result<Vec<UsedSeat>, sqlx::Error> {
    sqlx::query_as!(
        UsedSeat,
        r#"
        select s.section || ' ' || s.row_label || '-' || s.number as "name!",
            use.is_taken as "is_taken!"
        from seats s
        cross join lateral (
            select exists (select from schedule_seats c where c.seat_id = s.id) as is_used,
                exists (
                    select from schedule_seats c
                    where c.seat_id = s.id and seat_is_taken(c.status, c.return_id)
                ) as is_taken
        ) use
        where s.id = any($1) and use.is_used
        order by use.is_taken desc, s.section, s.row_label, s.number
        limit $2
        "#,
        ids as _,
        rows_max,
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

/// Deletes seats of a locked venue at which nothing is performed, companions' places first; returns whether
/// there may be more.
pub(crate) async fn delete_some_seats(
    tx: &mut Connection,
    id: VenueId,
) -> Result<bool, sqlx::Error> {
    let deleted = sqlx::query!(
        r#"
        delete from seats
        where id = any(array(
            select id from seats where venue_id = $1 order by companion_of is null limit $2))
        "#,
        id as _,
        DELETED_MAX,
    )
    .execute(tx)
    .await?;
    Ok(deleted.rows_affected() == DELETED_MAX.unsigned_abs())
}

/// Deletes a locked venue without seats.
pub async fn delete(tx: &mut Connection, id: VenueId) -> Result<(), sqlx::Error> {
    sqlx::query!("delete from venues where id = $1", id as _).execute(tx).await?;
    Ok(())
}

/// Counts a new edition of a locked venue.
pub(crate) async fn write_next(tx: &mut Connection, id: VenueId) -> Result<(), sqlx::Error> {
    sqlx::query!("update venues set version = version + 1 where id = $1", id as _)
        .execute(tx)
        .await?;
    Ok(())
}

/// Lets companions' places be written before the wheelchair places to which they belong: the transaction
/// cannot be committed without these.
pub(crate) async fn defer_companions(tx: &mut Connection) -> Result<(), sqlx::Error> {
    sqlx::query!("set constraints seats_companion_of_seat deferred").execute(tx).await?;
    Ok(())
}

/// Inserts seats of a locked venue, in their order.
pub async fn insert_seats(
    tx: &mut Connection,
    venue_id: VenueId,
    seats: &[PlannedSeat],
) -> Result<(), sqlx::Error> {
    let (sections, rows, numbers) = columns::names(seats);
    let Details { xs, ys, kinds, companions_of, categories } = seats.iter().collect();
    sqlx::query!(
        r#"
        insert into seats
            (venue_id, section, row_label, number, x, y, kind, companion_of, price_category)
        select $1, section, row_label, number, x, y, kind, companion_of, price_category
        from unnest($2::text[], $3::text[], $4::integer[], $5::real[], $6::real[], $7::text[],
            $8::integer[], $9::text[])
            as p (section, row_label, number, x, y, kind, companion_of, price_category)
        "#,
        venue_id as _,
        &sections as _,
        &rows as _,
        &numbers,
        &xs,
        &ys,
        &kinds as _,
        &companions_of as _,
        &categories as _,
    )
    .execute(tx)
    .await?;
    Ok(())
}

/// Writes the positions, kinds and price categories of seats that a locked venue has.
pub async fn update_seats(tx: &mut Connection, seats: &[SavedSeat]) -> Result<(), sqlx::Error> {
    let ids: Vec<SeatId> = seats.iter().map(|saved| saved.id).collect();
    let Details { xs, ys, kinds, companions_of, categories } =
        seats.iter().map(|saved| &saved.seat).collect();
    sqlx::query!(
        r#"
        update seats s
        set x = p.x, y = p.y, kind = p.kind, companion_of = p.companion_of,
            price_category = p.price_category
        from unnest($1::bigint[], $2::real[], $3::real[], $4::text[], $5::integer[], $6::text[])
            as p (id, x, y, kind, companion_of, price_category)
        cross join lateral (
            select id from seats where id = p.id
            limit 1 -- each is found by its key, and the seats are not compared with the list
        ) found
        where s.id = found.id
        "#,
        &ids as _,
        &xs,
        &ys,
        &kinds as _,
        &companions_of as _,
        &categories as _,
    )
    .execute(tx)
    .await?;
    Ok(())
}

/// Keeps the price categories that seats lose, where a performance has them, for the orders that were made at them.
pub(crate) async fn keep_categories(
    tx: &mut Connection,
    seats: &[SavedSeat],
) -> Result<(), sqlx::Error> {
    let ids: Vec<SeatId> = seats.iter().map(|saved| saved.id).collect();
    let categories: Vec<Option<&str>> =
        seats.iter().map(|saved| saved.seat.category.as_deref()).collect();
    sqlx::query!(
        r#"
        insert into seat_categories (seat_id, was)
        select s.id, s.price_category
        from unnest($1::bigint[], $2::text[]) as p (id, price_category)
        cross join lateral (
            select id, price_category from seats where id = p.id
            limit 1 -- each is found by its key, and the seats are not compared with the list
        ) s
        where s.price_category is distinct from p.price_category
            and exists (select from schedule_seats where seat_id = s.id offset 0)
        "#,
        &ids as _,
        &categories as _,
    )
    .execute(tx)
    .await?;
    Ok(())
}

/// Lists the seats of a venue in the order of their plan.
pub async fn list_seats(
    db: impl PgExecutor<'_>,
    venue_id: VenueId,
) -> Result<Vec<SavedSeat>, sqlx::Error> {
    let rows = sqlx::query!(
        r#"
        select id as "id: SeatId", section, row_label as row, number, x, y, kind as "kind: SeatKind",
            companion_of, price_category as category
        from seats where venue_id = $1
        order by id + 0 -- the index of the ids holds the seats of all venues
        "#,
        venue_id as _,
    )
    .fetch_all(db)
    .await?;
    let seats = rows.into_iter().map(|row| SavedSeat {
        id: row.id,
        seat: PlannedSeat {
            section: row.section,
            row: row.row,
            number: row.number,
            x: row.x,
            y: row.y,
            kind: row.kind,
            companion_of: row.companion_of,
            category: row.category,
        },
    });
    Ok(seats.collect())
}
