-- Lists items that cost something else than the terms of their price type make of their ordinary price,
-- that were held on terms of another time, or that were offered to a wish, which has the ordinary price.
-- The price is that of `price` in src/catalog/price_types/rules.rs. Terms are read a moment after the
-- time of the hold: a transaction is far shorter than the minute.
with typed as (
    select i.id, i.unit_price, t.name, r.wish_id,
        case
            when t.price is not null then least(t.price, i.ordinary_price)
            when t.percent = 0 then 0
            else greatest(floor(i.ordinary_price::numeric * t.percent / 100)::bigint,
                least(i.ordinary_price, 1))
        end as price,
        r.created_at not between t.created_at - interval '1 minute'
            and coalesce(t.withdrawn_at, 'infinity') + interval '1 minute' as is_of_other_time
    from reservation_items i
    join price_types t on t.id = i.price_type_id
    join reservations r on r.id = i.reservation_id
)
select 'item ' || id as "subject!",
    case
        when unit_price <> price then format('costs %s, and %s as %L', unit_price, price, name)
        when wish_id is not null then format('was offered as %L', name)
        else format('was held on terms of %L that were not those of its time', name)
    end as "sentence!"
from typed
where unit_price <> price or wish_id is not null or is_of_other_time
limit $1
