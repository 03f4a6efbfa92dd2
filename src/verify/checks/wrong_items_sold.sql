-- Lists items with another number of places that others have bought than sold returns of them.
with sold as (
    select reservation_item_id, count(*) as places from ticket_returns
    where status = 'SOLD' group by reservation_item_id
)
select 'item ' || id as "subject!",
    format('has %s places that were sold on, but %s returns of it are sold', returned,
        coalesce(places, 0)) as "sentence!"
from reservation_items left join sold on reservation_item_id = id
where returned <> coalesce(places, 0)
limit $1
