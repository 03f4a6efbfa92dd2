-- Lists reservations with another discount than the terms of their code say, or made when or for what the
-- code was not valid. Nothing is taken off places on return, but by an older version.
with items as (
    select item.reservation_id, coalesce(sum(unit_price * quantity)
        filter (where return_id is null and not was_on_return or not reservations.returns_at_price), 0) as total
    from reservation_items item join reservations on reservations.id = item.reservation_id
    group by item.reservation_id
)
select 'reservation ' || reservations.id as "subject!", wrong.what as "sentence!"
from reservations
join items on items.reservation_id = reservations.id
left join sale_codes codes on codes.id = sale_code_id
cross join lateral (
    select format('has a discount of %s on %s', discount, items.total) as what
    where discount <> case when codes.id is null then 0 else least(items.total,
        coalesce(div(items.total * codes.percent, 100), codes.amount)) end
    union all
    select 'has a code that was not valid'
    where reservations.created_at < codes.valid_from or reservations.created_at >= codes.valid_until
        or reservations.created_at > codes.withdrawn_at
    union all
    select 'has a code of another performance'
    where codes.schedule_id <> reservations.schedule_id or codes.program_id <> reservations.program_id
    union all
    select 'has a code of another section or zone'
    where codes.section is not null and exists (
        select from reservation_items
        left join schedule_seats on schedule_seats.id = schedule_seat_id
        left join seats on seats.id = seat_id
        where reservation_id = reservations.id and case
            when zone_id is null then seats.section <> codes.section
            else not exists (
                select from sale_code_zones
                where sale_code_id = codes.id and sale_code_zones.zone_id = reservation_items.zone_id) end)
    union all
    select 'was offered, and has a code' where wish_id is not null and sale_code_id is not null
) wrong
limit $1
