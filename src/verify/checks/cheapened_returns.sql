-- Lists places on return that their buyers have at another price than their sellers were paid, by a price
-- type or a code. What was held by an older version, which agreed it otherwise, is left out.
select 'item ' || item.id as "subject!",
    format('of return %s costs %s less %s of its reservation, and its seller paid %s', returns.id,
        item.unit_price, greatest(discount - others.total, 0), returns.price) as "sentence!"
from reservation_items item
join reservations on reservations.id = item.reservation_id and returns_at_price
join ticket_returns returns on returns.id = item.return_id
cross join lateral (
    select coalesce(sum(unit_price * quantity), 0) as total
    from reservation_items
    where reservation_id = reservations.id and return_id is null and not was_on_return
) others
where item.unit_price <> returns.price or item.price_type_id is not null or discount > others.total
limit $1
