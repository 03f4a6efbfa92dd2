-- Lists zones whose capacity less what remains is not what live items take: places were sold twice,
-- or are lost.
with taken as (
    select zone_id, sum(quantity) as places
    from reservation_items where live and zone_id is not null group by zone_id
)
select 'zone ' || id as "subject!",
    format('has %s of %s left, but %s are taken',
        remaining, capacity, coalesce(places, 0)) as "sentence!"
from zones left join taken on zone_id = id
where capacity - remaining <> coalesce(places, 0)
limit $1
