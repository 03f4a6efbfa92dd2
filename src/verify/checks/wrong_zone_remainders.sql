-- Lists zones whose capacity less what remains is not what live items take, but for the places that
-- remain because they are on return: places were sold twice, or are lost.
with taken as (
    select zone_id, sum(quantity - returned) as places
    from reservation_items where live and zone_id is not null group by zone_id
), on_return as (
    select t.zone_id, count(*) as places
    from ticket_returns t
    where status = 'OPEN' and t.zone_id is not null and not exists (
        select from reservation_items where return_id = t.id and awaits_return)
    group by t.zone_id
)
select 'zone ' || id as "subject!",
    format('has %s of %s left, %s of them on return, but %s are taken and %s on return',
        remaining, capacity, returned, coalesce(taken.places, 0), coalesce(on_return.places, 0))
        as "sentence!"
from zones
left join taken on taken.zone_id = id
left join on_return on on_return.zone_id = id
where capacity - remaining + returned <> coalesce(taken.places, 0)
    or returned <> coalesce(on_return.places, 0)
limit $1
