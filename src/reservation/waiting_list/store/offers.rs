//! SQL of offers. The order of a list is only fixed while the list is locked, so these statements
//! need its lock.

use std::collections::HashMap;

use sqlx::types::Json;
use uuid::Uuid;

use crate::{
    accounts::AccountId,
    catalog::{ProgramId, ScheduleId, ScheduleSeatId, SeatKind, ZoneId},
    infra::postgres::Connection,
    points::Points,
    reservation::{
        model::{SeatStatus, WishId},
        seat_map::seat::{MapSeat, in_map_order},
        waiting_list::{
            matching::{FreeZone, ReturnedPlace},
            model::{OfferTerms, WaitingWish, WishOrder},
        },
    },
};

/// Returns the terms of offers of a performance, after its list was locked.
pub async fn find_terms(
    tx: &mut Connection,
    schedule_id: ScheduleId,
) -> Result<Option<(ProgramId, OfferTerms)>, sqlx::Error> {
    let found = sqlx::query!(
        r#"
        select p.id as "program_id: ProgramId",
            (p.status = 'PUBLISHED' and s.cancelled_at is null and p.on_sale_at <= moment.at
                and moment.at < p.off_sale_at and moment.at < s.starts_at) as "is_on_sale!",
            (p.status = 'PUBLISHED' and s.cancelled_at is null and moment.at < p.on_sale_at) as "is_coming!",
            moment.at < coalesce(s.starts_at - make_interval(hours => s.kept_until_hours), s.starts_at)
                as "keeps_places!",
            p.places_per_order_min as places_min,
            least(p.offer_mins * 60,
                floor(extract(epoch from least(s.starts_at - moment.at, interval '2 days'))))::integer
                as "offer_secs!"
        from schedules s
        join programs p on p.id = s.program_id
        cross join (select clock_timestamp() as at offset 0) moment
        where s.id = $1
        "#,
        schedule_id as _,
    )
    .fetch_optional(tx)
    .await?;
    Ok(found.map(|row| {
        let terms = OfferTerms {
            schedule_id,
            is_on_sale: row.is_on_sale,
            is_coming: row.is_coming,
            keeps_places: row.keeps_places,
            places_min: row.places_min,
            offer_secs: row.offer_secs,
        };
        (row.program_id, terms)
    }))
}

/// Wishes for which free seats are read.
pub(crate) enum Wanted<'a> {
    /// Waiting wishes of the performance's list.
    ByList,
    /// Wishes that are not in the list yet.
    By(Vec<&'a WishOrder>),
}

/// Lists free seats of a performance in map order, except kept places: only seats whose section and
/// price fit a wish of `wanted`.
pub(crate) async fn list_free_seats(
    tx: &mut Connection,
    schedule_id: ScheduleId,
    keeps_places: bool,
    wanted: &Wanted<'_>,
    rows_max: i64,
) -> Result<Vec<MapSeat>, sqlx::Error> {
    let orders = match wanted {
        Wanted::ByList => &[][..],
        Wanted::By(orders) => orders,
    };
    let sections: Vec<Option<&str>> = orders.iter().map(|order| order.section.as_deref()).collect();
    let prices: Vec<Option<Points>> = orders.iter().map(|order| order.price_max).collect();
    sqlx::query_as!(
        MapSeat,
        r#"
        with wanted as materialized (
            select section, max(coalesce(price_max, 9223372036854775807)) as price_max
            from wishes
            where schedule_id = $1 and status = 'WAITING' and settled_at is null and $3
            group by section
            union all
            select section, coalesce(price_max, 9223372036854775807)
            from unnest($4::text[], $5::bigint[]) as asked (section, price_max)
        )
        select s.id as "id: _", v.section, v.row_label, v.number, v.x, v.y,
            s.price as "price: _", s.status as "status: SeatStatus", s.kind as "kind: SeatKind",
            v.companion_of, v.price_category as category,
            s.return_id is not null as "is_on_return!"
        from schedule_seats s
        join seats v on v.id = s.seat_id
            and v.venue_id = (select venue_id from schedules where id = $1)
        where s.schedule_id = $1 and s.status = 'AVAILABLE'
            and not ($2 and s.kind in ('WHEELCHAIR', 'COMPANION'))
            and exists (
                select from wanted
                where (section is null or section = v.section) and price_max >= s.price
            )
        limit $6
        "#,
        schedule_id as _,
        keeps_places,
        matches!(wanted, Wanted::ByList),
        &sections as _,
        &prices as _,
        rows_max,
    )
    .fetch_all(tx)
    .await
    .map(in_map_order)
}

/// Lists the zones of a performance with places left, the cheapest first.
pub(crate) async fn list_free_zones(
    tx: &mut Connection,
    schedule_id: ScheduleId,
) -> Result<Vec<FreeZone>, sqlx::Error> {
    let rows = sqlx::query!(
        r#"
        select id as "id: ZoneId", price as "price: Points", remaining,
            case when returned > 0 then array(
                select jsonb_build_object('price', t.price, 'seller_id', t.seller_id)
                from ticket_returns t
                where t.zone_id = zones.id and t.status = 'OPEN' and not exists (
                    select from reservation_items
                    where return_id = t.id and (live or awaits_return)
                    offset 0)
                order by t.price, t.id
                limit zones.returned
            ) else '{}' end as "returned!: Vec<Json<ReturnedPlace>>"
        from zones
        where schedule_id = $1 and remaining > 0 and hidden_at is null
        order by price, name
        "#,
        schedule_id as _,
    )
    .fetch_all(tx)
    .await?;
    let zones = rows.into_iter().map(|row| FreeZone {
        id: row.id,
        price: row.price,
        remaining: row.remaining,
        returned: row.returned.into_iter().map(|place| place.0).collect(),
    });
    Ok(zones.collect())
}

/// Returns the sellers of the seats on return among `seats`. Runs no query if there are none.
pub(crate) async fn list_sellers(
    tx: &mut Connection,
    seats: &[MapSeat],
) -> Result<HashMap<ScheduleSeatId, AccountId>, sqlx::Error> {
    let returned = seats.iter().filter(|seat| seat.is_on_return).map(|seat| seat.id);
    let returned: Vec<ScheduleSeatId> = returned.collect();
    if returned.is_empty() {
        return Ok(HashMap::new());
    }
    let rows = sqlx::query!(
        r#"
        select schedule_seat_id as "seat_id!: ScheduleSeatId", seller_id as "seller_id: AccountId"
        from ticket_returns
        where schedule_seat_id = any($1) and schedule_seat_id is not null and status = 'OPEN'
        "#,
        returned as _,
    )
    .fetch_all(tx)
    .await?;
    Ok(rows.into_iter().map(|row| (row.seat_id, row.seller_id)).collect())
}

struct WishRow {
    id: Uuid,
    account_id: Uuid,
    number: i64,
    places: i32,
    section: Option<String>,
    zone_id: Option<ZoneId>,
    price_max: Option<Points>,
    is_together: bool,
}

impl From<WishRow> for WaitingWish {
    fn from(row: WishRow) -> Self {
        let WishRow { id, account_id, number, places, section, zone_id, .. } = row;
        let (price_max, is_together) = (row.price_max, row.is_together);
        Self {
            id: WishId(id),
            account_id: AccountId(account_id),
            number,
            order: WishOrder { places, section, zone_id, price_max, is_together },
        }
    }
}

/// Lists waiting wishes for at most `places_max` places, in their order, after the number `after`.
/// Wishes of deleted and locked accounts are left out.
pub async fn list_waiting(
    tx: &mut Connection,
    schedule_id: ScheduleId,
    places_max: i32,
    after: i64,
    rows_max: i64,
) -> Result<Vec<WaitingWish>, sqlx::Error> {
    let rows = sqlx::query_as!(
        WishRow,
        r#"
        select w.id, w.account_id, w.number, w.places, w.section, w.zone_id as "zone_id: ZoneId",
            w.price_max as "price_max: Points", w.is_together
        from wishes w
        where w.schedule_id = $1 and w.status = 'WAITING' and w.settled_at is null
            and w.number > $3 and w.places <= $2
            and exists (
                select from accounts
                where id = w.account_id and deleted_at is null and locked_at is null
            )
        order by w.number
        limit $4
        "#,
        schedule_id as _,
        places_max,
        after,
        rows_max,
    )
    .fetch_all(tx)
    .await?;
    Ok(rows.into_iter().map(WaitingWish::from).collect())
}

/// Locks the waiting wishes of accounts in a program. If another transaction has locked one, fails
/// at once, with the error of a `lock_timeout`.
pub(crate) async fn lock_wishes(
    tx: &mut Connection,
    program_id: ProgramId,
    accounts: &[AccountId],
) -> Result<(), sqlx::Error> {
    sqlx::query!(
        r#"
        select id from wishes
        where account_id = any($2) and program_id = $1 and status = 'WAITING'
        order by account_id, schedule_id
        for no key update nowait
        "#,
        program_id as _,
        accounts as _,
    )
    .fetch_all(tx)
    .await?;
    Ok(())
}

/// Marks locked wishes of a locked list as offered, all at one moment; returns their number.
pub(crate) async fn write_offered(
    tx: &mut Connection,
    schedule_id: ScheduleId,
    ids: &[WishId],
) -> Result<i32, sqlx::Error> {
    sqlx::query_scalar!(
        r#"
        with offered as (
            update wishes set status = 'OFFERED', settled_at = statement_timestamp()
            where id = any($2) and status = 'WAITING'
            returning id
        )
        update waiting_lists set waiting = waiting - (select count(*) from offered)::integer
        where schedule_id = $1
        returning (select count(*) from offered)::integer as "n_offered!"
        "#,
        schedule_id as _,
        ids as _,
    )
    .fetch_one(tx)
    .await
}
