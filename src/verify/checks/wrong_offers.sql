-- Lists wishes that were offered nothing, though they say so, or something else than they are for.
with offers as (
    select r.id, r.wish_id, sum(i.quantity) as places, max(i.unit_price) as price,
        count(distinct i.zone_id) filter (where i.zone_id is not null) as zones,
        min(i.zone_id::text) as zone_id,
        count(i.schedule_seat_id) as seats,
        count(distinct (v.section, v.row_label)) filter (where v.id is not null) as seat_rows,
        min(v.section) as first_section, max(v.section) as last_section
    from reservations r
    join reservation_items i on i.reservation_id = r.id
    left join schedule_seats s on s.id = i.schedule_seat_id
    left join seats v on v.id = s.seat_id
    where r.wish_id is not null
    group by r.id, r.wish_id
)
select 'wish ' || wishes.id as "subject!",
    case
        when offers.id is null then 'is OFFERED without a reservation'
        when wishes.status <> 'OFFERED' then format('is %s, and has reservation %s', wishes.status, offers.id)
        else format('for %s places was offered reservation %s of %s places', wishes.places, offers.id,
            offers.places)
    end as "sentence!"
from wishes
full join offers on offers.wish_id = wishes.id
where (wishes.status = 'OFFERED') <> (offers.id is not null)
    or offers.places <> wishes.places
    or offers.price > wishes.price_max
    or offers.first_section <> wishes.section or offers.last_section <> wishes.section
    or wishes.section is not null and offers.zone_id is distinct from wishes.zone_id::text and offers.zones > 0
    or (offers.seats > 0 and offers.zones > 0) or offers.zones > 1
    or (wishes.is_together and offers.seat_rows > 1)
limit $1
