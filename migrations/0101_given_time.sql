-- Time that people get back: what they could not use while the office was away or its clock was stopped by staff.
-- Every stay and hold that was live then ends that much later.

-- When the office was last seen at work by one of its instances.
create table office_pulse (
    is_only boolean     primary key default true,
    beat_at timestamptz not null,

    constraint office_pulse_only_row check (is_only)
);

-- Whether somebody could use a stay or a hold until just now. Nothing ends before the time that the office was away is
-- given back. AWAY_MIN in src/reservation/given_time/mod.rs has the same length.
create function is_office_awake() returns boolean language sql stable as $$
    select coalesce((select beat_at > statement_timestamp() - interval '15 seconds' from office_pulse), true)
$$;

create table given_times (
    id         uuid        primary key,
    program_id uuid        not null references programs,
    -- STAFF stopped the clock; OUTAGE: no instance worked, or PostgreSQL did not answer.
    cause      text        not null,
    length     interval    not null,
    -- Stays and holds that ended before are not revived.
    live_at    timestamptz not null,
    -- Why staff gave it, for the audit log and the public log; null after an outage.
    reason     text,
    given_at   timestamptz not null default clock_timestamp(),

    constraint given_times_cause_known check (cause in ('STAFF', 'OUTAGE')),
    constraint given_times_length_positive check (length > '0'),
    constraint given_times_staff_says_why check ((cause = 'STAFF') = (reason is not null))
);
create index given_times_program_id on given_times (program_id, given_at);
create trigger given_times_append_only
    before update on given_times
    for each row execute function refuse_change();
create trigger given_times_not_deleted
    before delete on given_times
    for each row when (not is_throwaway(old.program_id)) execute function refuse_change();
create trigger given_times_kept
    before truncate on given_times
    for each statement execute function refuse_change();

-- What of it moved the end of the reservation while it was held.
alter table reservations add column given_time interval not null default '0';

alter table queue_moves drop constraint queue_moves_kind_known;
alter table queue_moves drop constraint queue_moves_of_no_number;
-- TIME_GIVEN: the stays and holds that are live end later.
alter table queue_moves add constraint queue_moves_kind_known
    check (kind in ('ADMITTED', 'LET_IN', 'PARKED', 'RETURNED', 'LEFT', 'PURGE', 'RULES',
        'DRAW_ANNOUNCED', 'DRAW_WITHDRAWN', 'DRAW_CLOSED', 'DRAW_REVEALED',
        'WISH_MADE', 'WISH_OFFERED', 'WISH_LEFT', 'WISH_ENDED', 'GATE_MADE', 'GATE_ADMITTED',
        'ANNOUNCED', 'ANNOUNCEMENT_ENDED', 'TIME_GIVEN')) not valid;
alter table queue_moves add constraint queue_moves_of_no_number
    check ((kind in ('RULES', 'GATE_MADE', 'ANNOUNCED', 'ANNOUNCEMENT_ENDED', 'TIME_GIVEN')
            or kind like 'DRAW\_%' or kind like 'WISH\_%')
        = (queue_number is null)) not valid;
alter table queue_moves validate constraint queue_moves_kind_known;
alter table queue_moves validate constraint queue_moves_of_no_number;

create function log_given_time() returns trigger language plpgsql as $$
begin
    insert into queue_moves (program_id, kind, detail)
    values (new.program_id, 'TIME_GIVEN', json_build_object(
        'cause', new.cause,
        'secs', round(extract(epoch from new.length), 3),
        'reason', new.reason)::text);
    return null;
end
$$;
create trigger given_times_logged
    after insert on given_times
    for each row execute function log_given_time();

-- Milliseconds that were given in a program so far, by which open pages learn that ends have moved.
create function given_ms(_program uuid) returns bigint language sql stable as $$
    select coalesce(sum(extract(epoch from length)) * 1000, 0)::bigint from given_times where program_id = _program
$$;

-- What was given last.
create function last_given(_program uuid) returns jsonb language sql stable as $$
    select jsonb_build_object('secs', round(extract(epoch from length))::bigint, 'reason', reason, 'given_at', given_at)
    from given_times
    where program_id = _program
    order by given_at desc
    limit 1
$$;
