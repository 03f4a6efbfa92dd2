-- Seats that a new plan draws elsewhere, or gives another price category.
--
-- A ticket said the category that its seat had in the newest plan, so a plan changed what had been bought. Which category a
-- seat had before each change is kept now, and an order is shown the one that it was made at: nothing of it changes.
--
-- A seat that is elsewhere in the hall is told to those who have it, as another place of the whole performance is.
create table seat_categories (
    seat_id    bigint      not null references seats on delete cascade,
    -- Category until then; null: none.
    was        text,
    changed_at timestamptz not null default clock_timestamp(),

    constraint seat_categories_pkey primary key (seat_id, changed_at),
    constraint seat_categories_was_length check (length(was) between 1 and 40)
);

-- Category that the seat had at a moment, which has `now` as its category in the newest plan.
create function category_at(seat bigint, "now" text, moment timestamptz) returns text language sql stable as $$
    select case when before.is_found then before.was else "now" end
    from (select) one
    left join lateral (
        select true as is_found, was from seat_categories
        where seat_id = seat and changed_at > moment
        order by changed_at
        limit 1
    ) before on true
$$;

-- Seats of the performance that the change concerns; null: as the other columns say.
alter table schedule_changes
    add column seat_ids bigint[],
    add constraint schedule_changes_some_seats check (cardinality(seat_ids) > 0);
alter table schedule_moves
    add column seat_ids bigint[],
    add constraint schedule_moves_some_seats check (cardinality(seat_ids) > 0);

-- As the function of three arguments, and of these seats of the performance.
create function told_changes(schedule uuid, reserved_at timestamptz, zones uuid[], seats bigint[])
returns jsonb language sql stable as $$
    select coalesce(
        jsonb_agg(jsonb_build_object('part', part, 'was', was, 'words', words) order by part, zone_id), '[]')
    from (
        select c.part, c.zone_id, (array_agg(c.was order by c.changed_at))[1] as was,
            (array_agg(c.is_now order by c.changed_at desc))[1] as is_now,
            (array_agg(c.words order by c.changed_at desc))[1] as words
        from schedule_changes c
        where c.schedule_id = schedule and c.changed_at > reserved_at - interval '1 minute'
            and (c.zone_id is null or c.zone_id = any(zones))
            and (c.seat_ids is null or c.seat_ids && seats)
        group by c.part, c.zone_id
    ) told
    where was <> is_now
$$;
create or replace function told_changes(schedule uuid, reserved_at timestamptz, zones uuid[])
returns jsonb language sql stable as $$
    select told_changes(schedule, reserved_at, zones, '{}')
$$;

-- As the function of two arguments, and of these seats of the performance.
create function told_move(schedule uuid, reserved_at timestamptz, seats bigint[])
returns table (was_at timestamptz, words text, full_refund_until timestamptz) language sql stable as $$
    select (array_agg(m.was_at order by m.moved_at))[1], (array_agg(m.words order by m.moved_at desc))[1],
        least(max(m.full_refund_until), greatest(s.starts_at, max(m.moved_at) + interval '1 day'))
    from schedules s
    join schedule_moves m on m.schedule_id = s.id
    where s.id = schedule and m.moved_at > reserved_at - interval '1 minute' and m.was_at is not null
        and (m.seat_ids is null or m.seat_ids && seats)
    group by s.starts_at
$$;
create or replace function told_move(schedule uuid, reserved_at timestamptz)
returns table (was_at timestamptz, words text, full_refund_until timestamptz) language sql stable as $$
    select was_at, words, full_refund_until from told_move(schedule, reserved_at, '{}')
$$;

-- Seats of the performance that a reservation is for.
create function seats_of(reservation uuid) returns bigint[] language sql stable as $$
    select array(
        select schedule_seat_id from reservation_items
        where reservation_id = reservation and schedule_seat_id is not null)
$$;
