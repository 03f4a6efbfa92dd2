-- Lists items that are live though their reservation ended, or not live though it lasts: what is
-- taken is counted by items, and what is owned by reservations. A place on return is live from its
-- payment on, and an item whose every place others have bought is not live any more.
select 'item ' || items.id as "subject!",
    format('is %s with %s of %s places sold on, but its reservation %s is %s',
        case when live then 'live' when awaits_return then 'one that awaits a return'
            else 'not live' end,
        returned, quantity, reservations.id, status) as "sentence!"
from reservation_items items join reservations on reservations.id = reservation_id
where live <> (status = 'CONFIRMED' and returned < quantity
        or status = 'HELD' and not (buys_return and return_id is not null))
    or awaits_return <> (status = 'HELD' and buys_return and return_id is not null)
    or returned > 0 and status not in ('CONFIRMED', 'REFUNDED')
limit $1
