-- Lists shares that are still live a minute after their hold has ended, the oldest first: their points
-- stay withheld although a worker should have returned them.
select 'share ' || shares.id as "subject!",
    format('is still %s, though its hold ended at %s', shares.status, reservations.settled_at)
        as "sentence!"
from shares join reservations on reservations.id = reservation_id
where shares.status in ('OPEN', 'WITHHELD')
    and reservations.status in ('CANCELLED', 'EXPIRED')
    and reservations.settled_at < now() - interval '1 minute'
order by reservations.settled_at
limit $1
