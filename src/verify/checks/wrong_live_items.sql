-- Lists items that are live though their reservation ended, or not live though it lasts: what is
-- taken is counted by items, and what is owned by reservations.
select 'item ' || items.id as "subject!",
    format('is %s, but its reservation %s is %s',
        case when live then 'live' else 'not live' end, reservations.id, status)
        as "sentence!"
from reservation_items items join reservations on reservations.id = reservation_id
where live <> (status in ('HELD', 'CONFIRMED'))
limit $1
