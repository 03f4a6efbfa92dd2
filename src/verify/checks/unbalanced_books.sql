-- Lists one row if the points of people and of the house do not add up to zero: every movement is
-- booked on both sides.
with people as (
    select coalesce(sum(amount), 0) as points from point_transactions
    where kind not like 'TRANSFER%'
), house as (
    select coalesce(sum(amount), 0) as points from house_entries
)
select 'all movements' as "subject!",
    format('gave people %s and the house %s, which do not add up to zero',
        people.points, house.points) as "sentence!"
from people cross join house
where people.points + house.points <> 0
limit $1
