-- Another place of one zone gives the right to a full refund only to who has a place in it. It was written as a move of the
-- whole performance before, which gave it to everybody; a move that is written so keeps what it gave.
alter table schedule_moves
    add column zone_id uuid,
    add constraint schedule_moves_zone_of_schedule
        foreign key (zone_id, schedule_id) references zones (id, schedule_id) on delete cascade;
create index schedule_moves_zone_id on schedule_moves (zone_id) where zone_id is not null;

-- Zones in which a reservation has places.
create function zones_of(reservation uuid) returns uuid[] language sql stable as $$
    select array(
        select zone_id from reservation_items
        where reservation_id = reservation and zone_id is not null)
$$;

-- What the function of three arguments says, and of these zones.
create function told_start(schedule uuid, reserved_at timestamptz, seats bigint[], zones uuid[])
returns table (was_at timestamptz, words text, texts jsonb, full_refund_until timestamptz) language sql stable as $$
    select (array_agg(m.was_at order by m.moved_at))[1], (array_agg(m.words order by m.moved_at desc))[1],
        (array_agg(texts_of(m.texts, m.words) order by m.moved_at desc))[1],
        least(max(m.full_refund_until), greatest(s.starts_at, max(m.moved_at) + interval '1 day'))
    from schedules s
    join schedule_moves m on m.schedule_id = s.id
    where s.id = schedule and m.moved_at > reserved_at - interval '1 minute' and m.was_at is not null
        and (m.seat_ids is null or m.seat_ids && seats)
        and (m.zone_id is null or m.zone_id = any(zones))
    group by s.starts_at
$$;
create or replace function told_start(schedule uuid, reserved_at timestamptz, seats bigint[])
returns table (was_at timestamptz, words text, texts jsonb, full_refund_until timestamptz) language sql stable as $$
    select was_at, words, texts, full_refund_until from told_start(schedule, reserved_at, seats, '{}')
$$;
