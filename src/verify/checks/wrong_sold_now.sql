-- Lists paid reservations whose places in `sold_now`, with which pages and files count, differ from the paid
-- places less the places that other accounts have bought since: a place that was sold on is its buyer's alone.
with paid as (
    select reservation_id, sum(quantity) as places from reservation_items group by reservation_id
), sold_on as (
    select reservation_id, count(*) as places from ticket_returns
    where status = 'SOLD' group by reservation_id
), counted as (
    select reservation_id, sum(places) as places from sold_now group by reservation_id
)
select 'reservation ' || id as "subject!",
    format('has %s places that are sold now, of %s that were paid and %s that were sold on',
        coalesce(counted.places, 0), paid.places, coalesce(sold_on.places, 0)) as "sentence!"
from reservations
join paid on paid.reservation_id = id
left join sold_on on sold_on.reservation_id = id
left join counted on counted.reservation_id = id
where coalesce(counted.places, 0)
    <> case when status = 'CONFIRMED' then paid.places - coalesce(sold_on.places, 0) else 0 end
limit $1
