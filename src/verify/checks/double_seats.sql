-- Lists seats that are in two live items: they were sold or held twice.
select 'seat ' || schedule_seat_id as "subject!",
    format('is in %s live items: %s', count(*), string_agg(id::text, ', ')) as "sentence!"
from reservation_items
where live and schedule_seat_id is not null
group by schedule_seat_id
having count(*) > 1
limit $1
