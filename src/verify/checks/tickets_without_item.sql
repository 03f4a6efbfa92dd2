-- Lists tickets of an item that does not exist: they admit to no place.
select 'ticket ' || tickets.id as "subject!",
    format('is %s for an item %s that does not exist', status, reservation_item_id)
        as "sentence!"
from tickets
where not exists (
    select from reservation_items items join reservations on reservations.id = reservation_id
    where items.id = reservation_item_id
)
limit $1
