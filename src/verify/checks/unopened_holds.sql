-- Lists reservations of something that was hidden when they were made, and that no code had opened to
-- their account.
select 'reservation ' || reservations.id as "subject!",
    format('has %s, which was hidden from its account', part.name) as "sentence!"
from reservations
join reservation_items items on items.reservation_id = reservations.id
left join schedule_seats on schedule_seats.id = schedule_seat_id
left join seats on seats.id = schedule_seats.seat_id
left join zones on zones.id = items.zone_id
cross join lateral (
    select coalesce(seats.section, zones.name) as name,
        coalesce(schedule_seats.hidden_at, zones.hidden_at) as hidden_at
) part
where reservations.created_at > part.hidden_at and not exists (
    select from code_redemptions
    join sale_codes codes on codes.id = sale_code_id
    where code_redemptions.account_id = reservations.account_id
        and redeemed_at <= reservations.created_at and codes.program_id = reservations.program_id
        and case when items.zone_id is null then codes.section = part.name else exists (
            select from sale_code_zones
            where sale_code_id = codes.id and zone_id = items.zone_id) end
        and (codes.schedule_id is null or codes.schedule_id = reservations.schedule_id))
limit $1
