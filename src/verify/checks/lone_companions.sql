-- Lists places of companions that were held while places were kept, by an account that did not have
-- their wheelchair places at that moment. What it had may have been given back since. A hold that read
-- it while it was being given back is forgiven: a transaction is far shorter than the minute.
select 'item ' || item.id as "subject!",
    format('is the place of a companion, held without its wheelchair place, seat %s of the venue',
        seat.wheelchair_seat_id) as "sentence!"
from reservation_items item
join reservations held on held.id = item.reservation_id
join schedule_seats seat on seat.id = item.schedule_seat_id
where item.live and seat.kind = 'COMPANION' and held.created_at < held.kept_until
  and not exists (
    select from schedule_seats place
    join reservation_items other on other.schedule_seat_id = place.id
    join reservations its on its.id = other.reservation_id
    where place.schedule_id = seat.schedule_id and place.seat_id = seat.wheelchair_seat_id
      and its.account_id = held.account_id and its.created_at <= held.created_at
      and (its.status in ('HELD', 'CONFIRMED')
           or its.settled_at > held.created_at - interval '1 minute')
  )
limit $1
