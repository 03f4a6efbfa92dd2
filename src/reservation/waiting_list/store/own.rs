//! SQL of a list as its page shows it.

use chrono::{DateTime, Utc};
use sqlx::PgExecutor;
use uuid::Uuid;

use crate::{
    accounts::AccountId,
    catalog::{ScheduleId, ZoneId},
    infra::postgres::Pool,
    points::Points,
    reservation::{
        model::{ReservationId, ReservationStatus, WishId},
        waiting_list::model::{OwnWish, WishOffer, WishOrder, WishStatus},
    },
};

/// Maximum number of listed performances that an account waits for.
const LISTED_MAX: i64 = 20;

struct OwnRow {
    id: Uuid,
    number: i64,
    places: i32,
    section: Option<String>,
    zone_id: Option<ZoneId>,
    price_max: Option<Points>,
    is_together: bool,
    status: WishStatus,
    created_at: DateTime<Utc>,
    ahead: i64,
    reservation_id: Option<Uuid>,
    reservation_status: Option<ReservationStatus>,
    expires_at: Option<DateTime<Utc>>,
}

impl From<OwnRow> for OwnWish {
    fn from(row: OwnRow) -> Self {
        let OwnRow { id, number, places, section, zone_id, price_max, .. } = row;
        let (is_together, status) = (row.is_together, row.status);
        let offer = row.reservation_id.zip(row.reservation_status).zip(row.expires_at);
        Self {
            id: WishId(id),
            number,
            order: WishOrder { places, section, zone_id, price_max, is_together },
            status,
            created_at: row.created_at,
            ahead: row.ahead,
            offer: offer.map(|((id, status), expires_at)| WishOffer {
                reservation_id: ReservationId(id),
                status,
                expires_at,
            }),
        }
    }
}

/// Returns the newest wish of an account for a performance. A wish for a zone has the zone's
/// present name.
pub(crate) async fn find_newest(
    db: &Pool,
    account_id: AccountId,
    schedule_id: ScheduleId,
) -> Result<Option<OwnWish>, sqlx::Error> {
    let row = sqlx::query_as!(
        OwnRow,
        r#"
        select w.id, w.number, w.places, coalesce(z.name, w.section) as section,
            w.zone_id as "zone_id: ZoneId", w.price_max as "price_max: Points", w.is_together,
            w.status as "status: WishStatus", w.created_at,
            case when w.status = 'WAITING' then (
                select count(*) from wishes before
                where before.schedule_id = $2 and before.status = 'WAITING'
                    and before.settled_at is null and before.number < w.number
            ) else 0 end as "ahead!",
            r.id as "reservation_id?",
            case when r.status = 'HELD' and r.expires_at <= clock_timestamp() then 'EXPIRED'
                else r.status end as "reservation_status?: ReservationStatus",
            r.expires_at as "expires_at?"
        from (
            select * from wishes where account_id = $1 and schedule_id = $2
            order by number desc
            limit 1
        ) w
        left join zones z on z.id = w.zone_id
        left join reservations r on r.wish_id = w.id
        "#,
        account_id as _,
        schedule_id as _,
    )
    .fetch_optional(db)
    .await?;
    Ok(row.map(OwnWish::from))
}

/// Public facts of a list.
pub(crate) struct PublicList {
    /// Number of wishes that wait.
    pub waiting: i32,
    /// Length of an offer, in minutes.
    pub offer_mins: i32,
    /// Least number of places of an order, unless all of them are on return.
    pub places_min: i32,
    /// Maximum number of live places of one account in the program.
    pub places_max: i32,
}

/// Returns the public facts of a list; `None` if the performance does not exist.
pub(crate) async fn find_public(
    db: &Pool,
    schedule_id: ScheduleId,
) -> Result<Option<PublicList>, sqlx::Error> {
    sqlx::query_as!(
        PublicList,
        r#"
        select l.waiting, p.offer_mins, p.places_per_order_min as places_min,
            p.places_per_account_max as places_max
        from waiting_lists l
        join schedules s on s.id = l.schedule_id
        join programs p on p.id = s.program_id
        where l.schedule_id = $1
        "#,
        schedule_id as _,
    )
    .fetch_optional(db)
    .await
}

/// Section or zone, with its places at one price.
#[derive(Clone, Debug)]
pub struct Part {
    pub name: String,
    /// Price of a place.
    pub price: Points,
    /// Number of places at this price, free or not, except blocked ones.
    pub places: i64,
    /// Zone, whose places count as together; `None` for a section of seats.
    pub zone_id: Option<ZoneId>,
}

/// Lists the sections and zones of a performance, with one row for each price.
pub async fn list_parts(
    db: impl PgExecutor<'_>,
    schedule_id: ScheduleId,
) -> Result<Vec<Part>, sqlx::Error> {
    sqlx::query_as!(
        Part,
        r#"
        select v.section as "name!", s.price as "price!: Points", count(*) as "places!",
            null::uuid as "zone_id: ZoneId"
        from schedule_seats s
        join seats v on v.id = s.seat_id
            and v.venue_id = (select venue_id from schedules where id = $1)
        where s.schedule_id = $1 and s.status <> 'BLOCKED' and s.hidden_at is null
        group by v.section, s.price
        union all
        select name, price, capacity, id from zones
        where schedule_id = $1 and hidden_at is null
        order by 1, 2
        "#,
        schedule_id as _,
    )
    .fetch_all(db)
    .await
}

/// Performance that an account waits for.
pub(crate) struct WaitedFor {
    pub schedule_id: ScheduleId,
    pub title: String,
    pub starts_at: DateTime<Utc>,
    pub time_zone: String,
}

/// Lists performances that an account waits for, at most [`LISTED_MAX`], sorted by their start.
pub(crate) async fn list_waited_for(
    db: &Pool,
    account_id: AccountId,
) -> Result<Vec<WaitedFor>, sqlx::Error> {
    sqlx::query_as!(
        WaitedFor,
        r#"
        select w.schedule_id as "schedule_id: ScheduleId", p.title, s.starts_at, v.time_zone
        from (
            select schedule_id, program_id from wishes
            where account_id = $1 and status = 'WAITING'
            limit $2
        ) w
        cross join lateral (select title from programs where id = w.program_id limit 1) p
        cross join lateral (
            select starts_at, venue_id from schedules where id = w.schedule_id limit 1
        ) s
        cross join lateral (select time_zone from venues where id = s.venue_id limit 1) v
        order by s.starts_at
        "#,
        account_id as _,
        LISTED_MAX,
    )
    .fetch_all(db)
    .await
}
