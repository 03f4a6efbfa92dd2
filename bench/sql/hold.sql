-- Baseline: POST /schedules/{id}/reservations as 0.1.0 wrote it, one hold of one seat.
-- Variables: program, schedule, first_seat, turns (how many each client may take), turn
\set turn :turn + 1
\set nth :client_id * :turns + :turn
\set seat :first_seat + :nth - 1
\set key random(1, 100000000000000)
select o.nth, found.id as session_id, account_id, role, is_confirmed, is_unseen,
    (select count(*) from transfers
     where receiver_id = account_id and status = 'PENDING' and transfers.expires_at > now())
from unnest(array[bench.session(:nth)]) with ordinality as o (token_hash, nth)
cross join lateral (
    select sessions.id, account_id, role,
        confirmed_at > now() - make_interval(secs => 600) as is_confirmed,
        last_seen_at < now() - least(idle.longest / 10, interval '1 hour') as is_unseen
    from sessions
    join accounts on accounts.id = sessions.account_id
    cross join lateral (
        select make_interval(secs => case role when 'CUSTOMER' then 1209600 else 43200 end) as longest
    ) idle
    where token_hash = o.token_hash and sessions.expires_at > now() and locked_at is null
      and last_seen_at > now() - idle.longest
      and (role = 'CUSTOMER' or sessions.created_at > now() - make_interval(secs => 43200))
    limit 1
) found;
begin;
insert into idempotency_keys (account_id, key, fingerprint)
values (bench.id(0, :nth), bench.id(4, :key), bench.session(:nth))
on conflict do nothing;
select id, program_id, account_id, queue_number, stay_ends_at, expires_at
from queue_tokens
where program_id = :program and account_id = bench.id(0, :nth) and status = 'ACTIVE'
for no key update;
select id as seat_id, version as seat_version, price, price_version, status
from schedule_seats
where id = any(array[:seat]::bigint[]) and schedule_id = :schedule
order by id
for no key update \gset
select clock_timestamp(),
    (p.status = 'PUBLISHED' and p.on_sale_at <= clock_timestamp()
        and clock_timestamp() < p.off_sale_at and clock_timestamp() < s.starts_at),
    p.hold_ttl_secs,
    s.starts_at - make_interval(hours => p.refund_until_hours),
    p.refund_percent,
    p.places_per_account_max as places_max,
    (
        select coalesce(sum(i.quantity), 0)
        from reservations r
        join reservation_items i on i.reservation_id = r.id and i.live
        where r.account_id = bench.id(0, :nth) and r.program_id = p.id
          and r.status in ('HELD', 'CONFIRMED')
          and (r.status = 'CONFIRMED' or r.expires_at > clock_timestamp())
    ),
    case when p.unpaid_holds_max is not null then (
        select least(settled_at, expires_at) + make_interval(mins => p.cool_down_mins)
        from reservations
        where account_id = bench.id(0, :nth) and program_id = p.id
          and (status in ('EXPIRED', 'CANCELLED')
               or (status = 'HELD' and expires_at <= clock_timestamp()))
        order by 1 desc
        limit 1 offset p.unpaid_holds_max - 1
    ) end as cools_until
from schedules s
join programs p on p.id = s.program_id
where s.id = :schedule;
with moment as (
    select clock_timestamp() as at
), held as (
    insert into reservations (id, account_id, schedule_id, program_id, total, expires_at,
        hold_ttl_secs, refund_until, refund_percent, places_max, created_at)
    select bench.id(5, :key), bench.id(0, :nth), :schedule, :program, :price,
        at + make_interval(secs => 3600), 3600, at, 100, 8, at
    from moment
    returning expires_at
), items as (
    insert into reservation_items (id, reservation_id, schedule_id, schedule_seat_id, unit_price)
    select id, bench.id(5, :key), :schedule, seat_id, price
    from unnest(array[gen_random_uuid()], array[:seat_id]::bigint[], array[:price]::bigint[])
        as i (id, seat_id, price)
), taken as (
    update schedule_seats s
    set status = 'HELD', version = s.version + 1, changed_xid = pg_current_xact_id()
    from unnest(array[:seat_id]::bigint[], array[:seat_version]::bigint[]) as locked (id, version)
    where s.id = locked.id and s.version = locked.version and s.status = 'AVAILABLE'
    returning s.id
)
select expires_at, (select count(*) from taken) from held;
update idempotency_keys set outcome = '{"status": "HELD"}'
where account_id = bench.id(0, :nth) and key = bench.id(4, :key);
commit;
