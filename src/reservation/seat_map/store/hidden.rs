//! SQL of the hidden sections and zones that are open to an account.

use crate::{
    accounts::AccountId,
    catalog::{ScheduleId, SeatKind, ZoneId},
    infra::postgres::Pool,
    points::Points,
    reservation::{
        model::SeatStatus,
        seat_map::{
            listing::ZoneState,
            seat::{MapSeat, in_map_order},
        },
    },
};

/// Part of a performance that a code opens: the seats of a section, and the zone that its name
/// means.
#[derive(Debug)]
pub struct Opened {
    section: String,
    zone_id: Option<ZoneId>,
}

/// Lists the parts of a performance that codes open to the account now, hidden or not.
pub(crate) async fn list_opened(
    db: &Pool,
    schedule_id: ScheduleId,
    account_id: AccountId,
) -> Result<Vec<Opened>, sqlx::Error> {
    sqlx::query_as!(
        Opened,
        r#"
        select distinct c.section as "section!", z.zone_id as "zone_id?: _"
        from (select sale_code_id from code_redemptions where account_id = $2 offset 0) own
        cross join lateral (select * from sale_codes where id = own.sale_code_id limit 1) c
        join schedules s on s.id = $1 and s.program_id = c.program_id
        left join lateral (
            select zone_id from sale_code_zones
            where sale_code_id = c.id and schedule_id = s.id limit 1
        ) z on true
        where c.section is not null and c.withdrawn_at is null and (c.schedule_id is null or c.schedule_id = s.id)
          and coalesce(c.valid_from <= clock_timestamp(), true)
          and coalesce(clock_timestamp() < c.valid_until, true)
        "#,
        schedule_id as _,
        account_id as _,
    )
    .fetch_all(db)
    .await
}

/// Lists the seats of the hidden sections among the opened ones, in map order; free seats are
/// `AVAILABLE`.
pub(crate) async fn list_hidden_seats(
    db: &Pool,
    schedule_id: ScheduleId,
    opened: &[Opened],
) -> Result<Vec<MapSeat>, sqlx::Error> {
    let sections: Vec<_> = opened.iter().map(|part| part.section.clone()).collect();
    sqlx::query_as!(
        MapSeat,
        r#"
        select s.id as "id: _", v.section, v.row_label, v.number, v.x, v.y,
            s.price as "price: _",
            case when is_free(s.status) then free_status(null) else s.status end as "status!: SeatStatus",
            s.kind as "kind: SeatKind", v.companion_of, v.price_category as category,
            s.return_id is not null as "is_on_return!"
        from schedule_seats s
        join seats v on v.id = s.seat_id
            and v.venue_id = (select venue_id from schedules where id = $1)
        where s.schedule_id = $1 and v.section = any($2) and s.hidden_at is not null
        "#,
        schedule_id as _,
        &sections,
    )
    .fetch_all(db)
    .await
    .map(in_map_order)
}

/// Lists the hidden zones among the opened ones.
pub(crate) async fn list_hidden_zones(
    db: &Pool,
    opened: &[Opened],
) -> Result<Vec<ZoneState>, sqlx::Error> {
    let ids: Vec<ZoneId> = opened.iter().filter_map(|part| part.zone_id).collect();
    sqlx::query_as!(
        ZoneState,
        r#"
        select id as "id: ZoneId", name, price as "price: Points", remaining,
            returned as on_return
        from zones
        where id = any($1) and hidden_at is not null
        order by price desc, name
        "#,
        ids as _,
    )
    .fetch_all(db)
    .await
}
