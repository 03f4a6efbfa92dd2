-- Hidden sections: what is free in one is HIDDEN, whichever statement makes it free.
--
-- Each statement that freed a seat said for itself which status that is, and some did not know of hidden
-- sections: seats and zones that were added to one went on public sale, a blocked seat of one could not be
-- put back on sale, and a free one could not be blocked. From here on the functions below are the one place
-- that knows which statuses are free.

-- Returns the status of a free seat that is hidden since `hidden_at`; null: of one that is not hidden.
create function free_status(hidden_at timestamptz) returns text language sql immutable as $$
    select case when hidden_at is null then 'AVAILABLE' else 'HIDDEN' end
$$;

-- Returns whether a seat with this status is free, for everybody or for those to whom a code has opened it.
create function is_free(status text) returns boolean language sql immutable as $$
    select status in ('AVAILABLE', 'HIDDEN')
$$;

-- The hidden seats of a performance. The second condition limits the index to statements that compare the
-- performance, as at `schedule_seats_available`.
create index schedule_seats_hidden on schedule_seats (schedule_id, seat_id)
    where hidden_at is not null and schedule_id is not null;

-- Returns since when a new seat of a section, or a new zone of that name, is hidden: from now on if the
-- section is hidden at the performance; null if it is not. Before its first seat is for sale, a section is
-- hidden if the zone of its name is. Whoever calls has locked the performance, as whoever hides has.
create function hidden_like(schedule_id uuid, section text) returns timestamptz language sql volatile as $$
    select clock_timestamp()
    where exists (
        select from schedule_seats c
        join seats s on s.id = c.seat_id
        where c.schedule_id = $1 and c.hidden_at is not null and s.section = $2
    ) or exists (
        select from zones z
        where z.schedule_id = $1 and z.name = $2 and z.hidden_at is not null
    ) and not exists (
        select from schedules d
        join seats s on s.venue_id = d.venue_id and s.section = $2
        join schedule_seats c on c.seat_id = s.id and c.schedule_id = d.id
        where d.id = $1
    )
$$;

-- Seats and zones that were added to a hidden section went on public sale: they are hidden from now on. What of
-- them is held or sold stays so.
update schedule_seats c
set hidden_at = clock_timestamp(), status = case c.status when 'AVAILABLE' then 'HIDDEN' else c.status end,
    version = c.version + 1, changed_xid = pg_current_xact_id()
from seats s, (
    select distinct other.schedule_id, v.section
    from schedule_seats other join seats v on v.id = other.seat_id
    where other.hidden_at is not null
) hidden
where s.id = c.seat_id and c.schedule_id = hidden.schedule_id and s.section = hidden.section
    and c.hidden_at is null;
update zones z set hidden_at = clock_timestamp(), version = z.version + 1, changed_xid = pg_current_xact_id()
where z.hidden_at is null and exists (
    select from schedule_seats c join seats s on s.id = c.seat_id
    where c.schedule_id = z.schedule_id and c.hidden_at is not null and s.section = z.name
);
update schedules set hidden_version = hidden_version + 1
where id in (select schedule_id from schedule_seats where hidden_at is not null);
