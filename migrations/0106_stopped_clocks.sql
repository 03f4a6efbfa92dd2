-- Clocks of programs that staff stop, for as long as they do not know how long something lasts.
--
-- While a clock is stopped, the workers give everybody inside time again and again, before anything can end: always
-- so much that what is live stays so for half a minute at least.
create table clock_stops (
    id          uuid        primary key,
    program_id  uuid        not null references programs,
    -- In the words of staff, for the public log and the pages.
    reason      text        not null,
    stopped_at  timestamptz not null default clock_timestamp(),
    -- Until then the ends of what is live have been moved.
    given_until timestamptz not null default clock_timestamp(),
    -- When staff let it run, or its bound was reached; null while it is stopped.
    ended_at    timestamptz,

    constraint clock_stops_reason_length check (length(reason) between 1 and 1000)
);
-- A clock is stopped once.
create unique index clock_stops_open on clock_stops (program_id) where ended_at is null;
-- Stops whose ends are soon reached.
create index clock_stops_given_until on clock_stops (given_until) where ended_at is null;
create index clock_stops_program_id on clock_stops (program_id);

-- As before, and whether the clock is stopped.
create or replace function last_given(_program uuid) returns jsonb language sql stable as $$
    select jsonb_build_object(
        'secs', round(extract(epoch from length))::bigint, 'reason', reason, 'given_at', given_at,
        'is_stopped', exists (select from clock_stops where program_id = _program and ended_at is null))
    from given_times
    where program_id = _program
    order by given_at desc
    limit 1
$$;
