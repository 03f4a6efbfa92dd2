//! Seats and places: held once, held for a while, held by whoever was first.

mod expiry;
mod input;
mod pages;
mod storms;

use serde_json::json;
use sqlx::PgPool;
use uuid::Uuid;

use crate::support::{Answer, Concert, Person};

/// Lets people in as the gate would, without waiting for it.
pub(crate) async fn admit(db: &PgPool, concert: &Concert, people: &[Person]) {
    let ids: Vec<Uuid> = people.iter().map(|person| person.account_id).collect();
    sqlx::query(
        "with numbered as (
             update queue_numbers set next_number = next_number + cardinality($2::uuid[])
             where program_id = $1
             returning next_number - cardinality($2::uuid[]) as first
         )
         insert into queue_tokens (id, program_id, account_id, queue_number, status, admitted_at,
             stay_ends_at, expires_at)
         select gen_random_uuid(), $1, id, first + nth - 1, 'ACTIVE', now(),
             now() + interval '10 minutes', now() + interval '10 minutes'
         from numbered, unnest($2::uuid[]) with ordinality as t (id, nth)",
    )
    .bind(concert.program_id)
    .bind(&ids)
    .execute(db)
    .await
    .unwrap();
}

/// Orders seats under a new request key.
pub(crate) async fn hold(person: &Person, concert: &Concert, seat_ids: &[i64]) -> Answer {
    let order = json!({ "seat_ids": seat_ids, "request_key": Uuid::now_v7() });
    person.post_json(&order_path(concert), &order).await
}

/// Orders places of the zone under a new request key.
pub(crate) async fn hold_places(person: &Person, concert: &Concert, quantity: i64) -> Answer {
    let order = json!({
        "zone_id": concert.zone_id, "quantity": quantity, "request_key": Uuid::now_v7(),
    });
    person.post_json(&order_path(concert), &order).await
}

fn order_path(concert: &Concert) -> String {
    format!("/schedules/{}/reservations", concert.schedule_id)
}

/// Everything about seats and places that must be true, as sentences about what is not.
pub(crate) async fn violations(db: &PgPool) -> Vec<String> {
    sqlx::query_scalar(
        "select 'seat ' || schedule_seat_id || ' is in ' || count(*) || ' live items'
         from reservation_items where live and schedule_seat_id is not null
         group by schedule_seat_id having count(*) > 1
         union all
         select 'item ' || i.id || ' is live: ' || i.live || ', its reservation ' || r.status
         from reservation_items i join reservations r on r.id = i.reservation_id
         where i.live <> (r.status in ('HELD', 'CONFIRMED'))
         union all
         select 'seat ' || s.id || ' is ' || s.status || ', its reservation ' || coalesce(r.status, 'none')
         from schedule_seats s
         left join reservation_items i on i.schedule_seat_id = s.id and i.live
         left join reservations r on r.id = i.reservation_id
         where s.status is distinct from
             case r.status when 'HELD' then 'HELD' when 'CONFIRMED' then 'RESERVED'
                 else case s.status when 'BLOCKED' then 'BLOCKED' else 'AVAILABLE' end end
         union all
         select 'zone ' || z.id || ' lacks ' || z.capacity - z.remaining || ', sold ' ||
             coalesce(sum(i.quantity), 0)
         from zones z left join reservation_items i on i.zone_id = z.id and i.live
         group by z.id having z.capacity - z.remaining <> coalesce(sum(i.quantity), 0)
         union all
         select 'reservation ' || r.id || ' ends at another time than it said'
         from reservations r
         where r.expires_at <> r.created_at + make_interval(secs => r.hold_ttl_secs)
             + case when r.renewed_at is null then interval '0' else interval '2 minutes' end
         union all
         select 'reservation ' || r.id || ' costs ' || r.total || ', its items ' ||
             coalesce(sum(i.quantity * i.unit_price), 0)
         from reservations r left join reservation_items i on i.reservation_id = r.id
         group by r.id having r.total <> coalesce(sum(i.quantity * i.unit_price), 0)
             or count(i.id) = 0",
    )
    .fetch_all(db)
    .await
    .unwrap()
}

/// Nothing about seats and places is wrong.
pub(crate) async fn assert_sound(db: &PgPool) {
    let violations = violations(db).await;
    assert!(violations.is_empty(), "{violations:#?}");
}
