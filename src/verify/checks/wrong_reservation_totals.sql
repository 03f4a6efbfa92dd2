-- Lists reservations without items or with another total than that of their items less the discount: the
-- total is what its owner pays.
with items as (
    select reservation_id, sum(unit_price * quantity) as total
    from reservation_items group by reservation_id
)
select 'reservation ' || id as "subject!",
    format('costs %s, but %s', reservations.total,
        coalesce('its items cost ' || items.total || ' less ' || discount, 'has no items')) as "sentence!"
from reservations left join items on reservation_id = id
where items.total - discount is distinct from reservations.total
limit $1
