-- Words about a change in each language of the office.
--
-- One text went to all readers. It is one for each language now, by tag; words that a program sends without a language
-- have the tag `und`. `words` stays, as the text for readers of another language: what a version before this one
-- writes and shows.
alter table schedule_moves
    add column texts jsonb,
    add constraint schedule_moves_texts_some check (jsonb_typeof(texts) = 'object' and texts <> '{}'::jsonb);
alter table schedule_changes
    add column texts jsonb,
    add constraint schedule_changes_texts_some check (jsonb_typeof(texts) = 'object' and texts <> '{}'::jsonb);

-- Text for readers whose language is not among them.
create function first_text(texts jsonb) returns text language sql immutable as $$
    select value from jsonb_each_text(texts) order by key limit 1
$$;

-- Texts of a row that may have been written by a version before this one; null: none.
create function texts_of(texts jsonb, words text) returns jsonb language sql immutable as $$
    select coalesce(texts, case when words is not null then jsonb_build_object('und', words) end)
$$;

-- What was agreed at `reserved_at` and is called otherwise now, as `told_changes` says it, with the texts of the newest
-- change beside its words, and of parts that a version before this one does not know.
create function told_notes(schedule uuid, reserved_at timestamptz, zones uuid[], seats bigint[])
returns jsonb language sql stable as $$
    select coalesce(
        jsonb_agg(jsonb_strip_nulls(jsonb_build_object(
            'part', part, 'was', was, 'words', words, 'texts', texts)) order by part, zone_id, was), '[]')
    from (
        select c.part, c.zone_id, (array_agg(c.was order by c.changed_at))[1] as was,
            (array_agg(c.is_now order by c.changed_at desc))[1] as is_now,
            (array_agg(c.words order by c.changed_at desc))[1] as words,
            (array_agg(texts_of(c.texts, c.words) order by c.changed_at desc))[1] as texts
        from schedule_changes c
        where c.schedule_id = schedule and c.changed_at > reserved_at - interval '1 minute'
            and (c.zone_id is null or c.zone_id = any(zones))
            and (c.seat_ids is null or c.seat_ids && seats)
        -- Each artist who does not take part is told.
        group by c.part, c.zone_id, case when c.part = 'ACT' then c.was end
    ) told
    where was <> is_now
$$;
create or replace function told_changes(schedule uuid, reserved_at timestamptz, zones uuid[], seats bigint[])
returns jsonb language sql stable as $$
    select coalesce(jsonb_agg(note order by at), '[]')
    from jsonb_array_elements(told_notes(schedule, reserved_at, zones, seats)) with ordinality as told (note, at)
    where note ->> 'part' in
        ('TITLE', 'VENUE', 'ADDRESS', 'RUNNING_MINS', 'DOORS_BEFORE_MINS', 'AGE_MIN', 'ZONE', 'SEAT')
$$;

-- An empty `was`: the hall had no address before. An empty `is_now`: the artist `was` does not take part.
alter table schedule_changes
    drop constraint schedule_changes_was_length,
    drop constraint schedule_changes_is_now_length,
    add constraint schedule_changes_was_length check (length(was) <= 1000),
    add constraint schedule_changes_is_now_length check (length(is_now) <= 1000);

-- What `told_move` says, with the texts.
create function told_start(schedule uuid, reserved_at timestamptz, seats bigint[])
returns table (was_at timestamptz, words text, texts jsonb, full_refund_until timestamptz) language sql stable as $$
    select (array_agg(m.was_at order by m.moved_at))[1], (array_agg(m.words order by m.moved_at desc))[1],
        (array_agg(texts_of(m.texts, m.words) order by m.moved_at desc))[1],
        least(max(m.full_refund_until), greatest(s.starts_at, max(m.moved_at) + interval '1 day'))
    from schedules s
    join schedule_moves m on m.schedule_id = s.id
    where s.id = schedule and m.moved_at > reserved_at - interval '1 minute' and m.was_at is not null
        and (m.seat_ids is null or m.seat_ids && seats)
    group by s.starts_at
$$;
create or replace function told_move(schedule uuid, reserved_at timestamptz, seats bigint[])
returns table (was_at timestamptz, words text, full_refund_until timestamptz) language sql stable as $$
    select was_at, words, full_refund_until from told_start(schedule, reserved_at, seats)
$$;

-- Whether a reservation has places in one of these seats of a venue that are not resold.
create function has_seat_of(reservation uuid, seats bigint[]) returns boolean language sql stable as $$
    select exists (
        select from reservation_items i
        join schedule_seats c on c.id = i.schedule_seat_id
        where i.reservation_id = reservation and i.quantity > i.returned and c.seat_id = any(seats))
$$;

-- Words of the office about a cancellation, by language; null: none.
alter table programs
    add column cancel_texts jsonb,
    add constraint programs_cancel_texts_some
        check (jsonb_typeof(cancel_texts) = 'object' and cancel_texts <> '{}'::jsonb);
alter table schedules
    add column cancel_texts jsonb,
    add constraint schedules_cancel_texts_some
        check (jsonb_typeof(cancel_texts) = 'object' and cancel_texts <> '{}'::jsonb);

-- Whether staff have stopped the clock of a program: nothing of it ends, even where no worker prolongs it. STOPPED_MAX in
-- src/reservation/given_time/stopped.rs is the bound.
create function is_clock_stopped(_program uuid) returns boolean language sql stable as $$
    select exists (
        select from clock_stops
        where program_id = _program and ended_at is null and stopped_at > statement_timestamp() - interval '4 hours')
$$;

-- Attempts to send a mail whose end is unknown, of which there are only so many, because each may have delivered it.
alter table outbox add column unheard integer not null default 0;

-- What was paid for a place of an order, its own part of the discount taken off: in proportion to the prices, so that the
-- places, by item and number, add up to the total. One that was on return when it was held has no part.
-- `prices_less` in src/payment/shares/discount.rs divides so.
create function paid_for_place(item uuid, place integer) returns bigint language sql stable as $$
    with running as (
        select i.id, p.number, i.unit_price, r.discount, own.reduced,
            sum(own.reduced) over (order by i.id, p.number) as so_far, sum(own.reduced) over () as whole
        from (select reservation_id from reservation_items where id = item offset 0) asked
        cross join lateral (
            select id, discount from reservations where id = asked.reservation_id offset 0
        ) r
        cross join lateral (
            select id, quantity, unit_price, return_id, was_on_return from reservation_items
            where reservation_id = r.id offset 0
        ) i
        cross join lateral generate_series(1, i.quantity) as p (number)
        cross join lateral (
            select case when i.return_id is null and not i.was_on_return then i.unit_price else 0 end as reduced
        ) own
    )
    select (unit_price - coalesce(div(discount * so_far, nullif(whole, 0)), 0)
        + coalesce(div(discount * (so_far - reduced), nullif(whole, 0)), 0))::bigint
    from running where id = item and number = place
$$;

-- Part of an order's discount that its places had which were given back by themselves; the others that left it were at
-- their whole price.
create function discount_given_back(reservation uuid) returns bigint language sql stable as $$
    select coalesce(sum(i.unit_price - t.price), 0)::bigint
    from (
        select reservation_item_id, price, to_house from ticket_returns
        where reservation_id = reservation and status = 'SOLD' offset 0
    ) t
    cross join lateral (select unit_price from reservation_items where id = t.reservation_item_id offset 0) i
    where t.to_house
$$;
