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
    -- First sign of life after an outage: what was made later lost nothing. Null for time of staff.
    lost_until timestamptz,
    -- Why staff gave it, for the audit log and the public log; null after an outage.
    reason     text,
    given_at   timestamptz not null default clock_timestamp(),

    constraint given_times_cause_known check (cause in ('STAFF', 'OUTAGE')),
    constraint given_times_length_positive check (length > '0'),
    constraint given_times_staff_says_why check ((cause = 'STAFF') = (reason is not null)),
    constraint given_times_outage_has_its_end check ((cause = 'OUTAGE') = (lost_until is not null))
);
create index given_times_program_id on given_times (program_id, given_at);
-- An outage is given back once in each program, also where a process dies between two of them.
create unique index given_times_of_outage on given_times (program_id, live_at) where cause = 'OUTAGE';
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

-- As before, but a stay that ran out while the office was away counts until that time is given back.
create or replace function lock_joining(_program uuid, _accounts uuid[], _has_entries boolean, out joining json)
language plpgsql as $$
begin
    select coalesce(json_agg(j), '[]')
    from (
        select a.id as account_id, coalesce(t.is_live, e.is_live, false) as is_in,
            t.is_live is false as has_ended
        from unnest(_accounts) as o (account_id)
        cross join lateral (
            select id from accounts
            where id = o.account_id and deleted_at is null
            limit 1
            for key share
        ) a
        left join lateral (
            select status = 'WAITING' or expires_at > clock_timestamp() or not is_office_awake() as is_live
            from queue_tokens
            where program_id = _program and account_id = o.account_id
                and status in ('WAITING', 'ACTIVE')
            limit 1
        ) t on true
        left join lateral (
            select true as is_live from queue_draw_entries
            where _has_entries and account_id = o.account_id and program_id = _program
            limit 1
        ) e on true
    ) j
    into joining;
end $$;

-- As before, but a hold that ran out while the office was away counts until that time is given back.
create or replace function hold_terms(_schedule uuid, _accounts uuid[], _wheelchairs bigint[]) returns table (
    account_id uuid, moment timestamptz, is_on_sale boolean, hold_ttl_secs integer, refund_until timestamptz,
    refund_percent integer, no_single_seats boolean, places_min integer, places_max integer,
    places_live bigint, cools_until timestamptz, kept_until timestamptz, wheelchairs bigint[], has_wish boolean
) language sql stable as $$
    select asked.account_id as account_id, moment.at as moment,
        (p.status = 'PUBLISHED' and s.cancelled_at is null and moment.at < p.off_sale_at and moment.at < s.starts_at
            and (p.on_sale_at <= moment.at or coalesce((
                select through_gate from queue_tokens
                where program_id = p.id and account_id = asked.account_id and status = 'ACTIVE'
                limit 1
            ), false))) as is_on_sale,
        p.hold_ttl_secs,
        s.starts_at - make_interval(hours => p.refund_until_hours) as refund_until,
        p.refund_percent, p.no_single_seats,
        p.places_per_order_min as places_min, p.places_per_account_max as places_max,
        (
            select coalesce(sum(i.quantity - i.returned), 0)
            from reservations r
            join reservation_items i on i.reservation_id = r.id and (i.live or i.awaits_return)
            where r.account_id = asked.account_id and r.program_id = p.id
              and r.status in ('HELD', 'CONFIRMED')
              and (r.status = 'CONFIRMED' or r.expires_at > moment.at or not is_office_awake())
        ) as places_live,
        case when p.unpaid_holds_max is not null then (
            select least(settled_at, expires_at) + make_interval(mins => p.cool_down_mins)
            from reservations
            where account_id = asked.account_id and program_id = p.id and wish_id is null
              and (status in ('EXPIRED', 'CANCELLED')
                   or (status = 'HELD' and expires_at <= moment.at))
              and not (buys_return and status = 'CANCELLED' and exists (
                  select from reservation_items i cross join lateral (
                      select settled_at from ticket_returns where id = i.return_id limit 1) t
                  where i.reservation_id = reservations.id
                    and t.settled_at <= reservations.settled_at offset 0))
            order by 1 desc
            limit 1 offset p.unpaid_holds_max - 1
        ) end as cools_until,
        coalesce(s.starts_at - make_interval(hours => s.kept_until_hours), s.starts_at)
            as kept_until,
        case when cardinality(_wheelchairs) > 0 then array(
            select w.seat_id
            from reservations r
            join reservation_items i on i.reservation_id = r.id and (i.live or i.awaits_return)
            join schedule_seats w on w.id = i.schedule_seat_id and w.seat_id = any(_wheelchairs)
            where r.account_id = asked.account_id and r.program_id = p.id
              and r.schedule_id = s.id and r.status in ('HELD', 'CONFIRMED')
              and (r.status = 'CONFIRMED' or r.expires_at > moment.at or not is_office_awake())
        ) end as wheelchairs,
        exists (
            select from (
                select program_id from wishes
                where account_id = asked.account_id and status = 'WAITING' offset 0
            ) own
            where program_id = p.id
        ) as has_wish
    from schedules s
    join programs p on p.id = s.program_id
    cross join (select clock_timestamp() as at) moment
    cross join unnest(_accounts) as asked (account_id)
    where s.id = _schedule
$$;
