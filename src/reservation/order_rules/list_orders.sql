-- Reads the live items of the paid orders $1, with the rules by which they were held, and the
-- companions' places that each order's account has or holds in other orders of the performance.
select o.id as "order_id!: ReservationId", o.places_min, i.id as "id!: ReservationItemId",
    i.reservation_id = o.id as "is_own!", i.quantity - i.returned as "places!",
    (select count(*) from ticket_returns t
     where t.reservation_id = i.reservation_id and t.reservation_item_id = i.id
       and t.status = 'OPEN')::integer as "on_return!",
    coalesce(s.kind, 'STANDARD') as "kind!: SeatKind", s.seat_id as "seat_id?: SeatId",
    case when i.held_at < i.kept_until then s.wheelchair_seat_id end as "wheelchair_seat_id?: SeatId",
    t.id as "type_id?: PriceTypeId", t.name as "type_name?", t.beside as "beside?: Company",
    t.per_beside_max as "per_beside_max?"
from (select * from reservations where id = any($1) order by id) o
cross join lateral (
    select id, reservation_id, schedule_seat_id, price_type_id, quantity, returned,
        o.created_at as held_at, o.kept_until
    from reservation_items where reservation_id = o.id and live
    union all
    select c.id, c.reservation_id, c.schedule_seat_id, c.price_type_id, c.quantity, c.returned,
        other.created_at, other.kept_until
    from (
        select id, created_at, kept_until, status, expires_at, schedule_id from reservations
        where account_id = o.account_id and program_id = o.program_id
          and status in ('HELD', 'CONFIRMED') and id <> o.id
        offset 0
    ) other
    cross join lateral (
        select * from reservation_items
        where reservation_id = other.id and (live or awaits_return) and schedule_seat_id is not null
        offset 0
    ) c
    cross join lateral (
        select kind from schedule_seats where id = c.schedule_seat_id limit 1
    ) seat
    where other.schedule_id = o.schedule_id and seat.kind = 'COMPANION'
      and (other.status = 'CONFIRMED' or other.expires_at > clock_timestamp() or not is_office_awake())
) i
left join lateral (
    select kind, seat_id, wheelchair_seat_id from schedule_seats where id = i.schedule_seat_id limit 1
) s on true
left join lateral (
    select id, name, beside, per_beside_max from price_types where id = i.price_type_id limit 1
) t on true
order by o.id, i.id
