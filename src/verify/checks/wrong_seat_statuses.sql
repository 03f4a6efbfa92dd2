-- Lists seats whose status disagrees with their live item: the seat map shows them free though they
-- are taken, or taken though they are free. A seat on return is for sale though its seller's item is
-- live, and is held where an item awaits the return.
with taken as (
    select schedule_seat_id, reservations.id, status, reservations.schedule_id
    from reservation_items join reservations on reservations.id = reservation_id
    where live and schedule_seat_id is not null
)
select 'seat ' || seats.id as "subject!",
    format('is %s, but %s', seats.status,
        coalesce(format('reservation %s of it is %s', taken.id, taken.status),
            'no live item has it')) as "sentence!"
from schedule_seats seats left join taken on schedule_seat_id = seats.id
where seats.schedule_id <> taken.schedule_id
    or case when seats.return_id is not null then taken.status is distinct from 'CONFIRMED'
        or (seats.status = 'HELD') <> exists (
            select from reservation_items item join reservations held on held.id = item.reservation_id
            where item.return_id = seats.return_id and item.schedule_seat_id = seats.id
                and item.awaits_return and held.status = 'HELD')
    else case taken.status
        when 'HELD' then seats.status <> 'HELD'
        when 'CONFIRMED' then seats.status <> 'RESERVED'
        else seats.status in ('HELD', 'RESERVED')
            or seats.status not in ('BLOCKED', free_status(seats.hidden_at)) end
    end
limit $1
