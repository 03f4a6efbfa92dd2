-- Lists live orders that have lost what they were made with: places of the least number that was kept with
-- them, or the wheelchair place of a companion's place that was held with it while such places were kept.
-- What price types ask for is compared by `wrong_typed_orders`.
with few as (
    select r.id, r.places_min, sum(i.quantity - i.returned) as places
    from reservations r join reservation_items i on i.reservation_id = r.id
    where r.status in ('HELD', 'CONFIRMED') and r.places_min > 1
    group by r.id
), alone as (
    select companion.id
    from reservation_items companion
    join reservations r on r.id = companion.reservation_id and r.created_at < r.kept_until
    join schedule_seats seat on seat.id = companion.schedule_seat_id and seat.kind = 'COMPANION'
    join schedule_seats place
        on place.schedule_id = seat.schedule_id and place.seat_id = seat.wheelchair_seat_id
    join reservation_items its on its.reservation_id = r.id and its.schedule_seat_id = place.id
    where companion.live and not its.live and not its.awaits_return
)
select 'reservation ' || id as "subject!",
    format('has %s places left, and was made with %s at least', places, places_min) as "sentence!"
from few where places between 1 and places_min - 1
union all
select 'item ' || id, 'is the place of a companion, whose wheelchair place has left its order' from alone
limit $1
