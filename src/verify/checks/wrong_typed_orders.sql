-- Lists live orders with more places of a price type than its terms allow, without the places that must
-- be beside them, or with a seat of a kind that the type is not for. What a section was called when it
-- was sold is not kept. What a hold awaits is of its order; what others have bought since is not.
with live as (
    select i.reservation_id, i.price_type_id, i.quantity - i.returned as quantity,
        coalesce(s.kind, 'STANDARD') as kind
    from reservation_items i
    left join schedule_seats s on s.id = i.schedule_seat_id
    where i.live or i.awaits_return
), orders as (
    select reservation_id, price_type_id, sum(quantity) as places, array_agg(kind) as kinds
    from live where price_type_id is not null group by reservation_id, price_type_id
), beside as (
    select reservation_id,
        coalesce(sum(quantity) filter (where price_type_id is null), 0) as ordinary,
        coalesce(sum(quantity) filter (where kind = 'WHEELCHAIR'), 0) as wheelchairs
    from live group by reservation_id
)
select 'reservation ' || o.reservation_id as "subject!",
    format('has %s places as %L beside %s at the ordinary price and %s for wheelchairs, on seats of the kinds %s',
        o.places, t.name, b.ordinary, b.wheelchairs, array_to_string(o.kinds, ', ')) as "sentence!"
from orders o
join price_types t on t.id = o.price_type_id
join beside b on b.reservation_id = o.reservation_id
where o.places > t.per_order_max
   or t.beside = 'ORDINARY' and o.places > b.ordinary * coalesce(t.per_beside_max, o.places)
   or t.beside = 'WHEELCHAIR' and o.places > b.wheelchairs * coalesce(t.per_beside_max, o.places)
   or not o.kinds <@ t.kinds
limit $1
