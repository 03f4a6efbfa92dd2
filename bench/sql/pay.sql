-- Baseline: POST /reservations/{id}/payment as 0.1.0 wrote it, one payment under a request key.
-- Run right after hold.sql has made the hold, as one script with it.
\set pay_key random(1, 100000000000000)
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
values (bench.id(0, :nth), bench.id(4, :pay_key), bench.session(:nth))
on conflict do nothing;
select id, schedule_id, program_id,
    case when status = 'HELD' and expires_at <= clock_timestamp() then 'EXPIRED' else status end,
    total, expires_at, renewed_at, refund_deadline(schedule_id, refund_until, created_at),
    refund_percent, settled_at, created_at
from reservations
where id = bench.id(5, :key) and account_id = bench.id(0, :nth);
select id as token_id, queue_number, status
from queue_tokens
where program_id = :program and account_id = bench.id(0, :nth) and status in ('WAITING', 'ACTIVE')
for no key update \gset paid_
select version as reservation_version from reservations
where id = bench.id(5, :key) and account_id = bench.id(0, :nth)
for no key update \gset paid_
select r.program_id, r.schedule_id, r.status, r.total, r.expires_at, r.renewed_at, c.now as locked_at,
    r.expires_at <= c.now as is_lapsed,
    refund_deadline(r.schedule_id, r.refund_until, r.created_at) <= c.now as is_refund_over,
    r.refund_percent,
    p.status as program_status,
    i.id as item_id, i.schedule_seat_id, i.zone_id, i.quantity, i.unit_price
from reservations r
cross join (select clock_timestamp() as now offset 0) c
join programs p on p.id = r.program_id
join reservation_items i on i.reservation_id = r.id
where r.id = bench.id(5, :key)
order by i.schedule_seat_id, i.id \gset paid_
insert into payments (id, reservation_id, account_id, amount, status)
values (bench.id(6, :pay_key), bench.id(5, :key), bench.id(0, :nth), :paid_total, 'COMPLETED');
update reservations r
set status = 'CONFIRMED', settled_at = coalesce(:paid_locked_at, clock_timestamp()), version = r.version + 1,
    confirmed_at = case 'CONFIRMED' when 'CONFIRMED' then :paid_locked_at else r.confirmed_at end
from unnest(array[bench.id(5, :key)], array[:paid_reservation_version]::bigint[]) as locked (id, version)
where r.id = locked.id and r.version = locked.version;
with locked as materialized (
    select id from schedule_seats where id = any(array[:seat]::bigint[]) order by id for no key update
)
update schedule_seats s
set status = 'RESERVED', version = version + 1, changed_xid = pg_current_xact_id()
from locked
where s.id = locked.id and s.status = 'HELD';
insert into tickets (id, reservation_item_id, number, item_quantity, account_id, code)
select id, item_id, number, quantity, bench.id(0, :nth), code
from unnest(array[gen_random_uuid()], array[:paid_item_id]::uuid[], array[1], array[1],
        array[md5((:pay_key)::text)])
    as issued (id, item_id, number, quantity, code);
select id as wallet_id, account_id, balance, pending, version
from wallets where account_id = bench.id(0, :nth)
for no key update \gset paid_
with moved as (
    update wallets
    set balance = :paid_balance - 1000, pending = :paid_pending, version = version + 1
    where id = :paid_wallet_id and version = :paid_version
    returning id, version, balance
), house as (
    insert into house_entries (wallet_id, wallet_version, amount)
    select id, version, -(-1000) from moved where true
)
insert into point_transactions
    (id, wallet_id, wallet_version, kind, amount, pending_change, balance_after, reference_id)
select gen_random_uuid(), id, version, 'PAYMENT', -1000, 0, balance, bench.id(6, :pay_key)
from moved;
select count(*) from reservations
where account_id = bench.id(0, :nth) and program_id = :program and status = 'HELD'
  and expires_at > clock_timestamp();
update queue_tokens set status = 'COMPLETED', ended_at = clock_timestamp() where id = :paid_token_id;
update idempotency_keys set outcome = '{"amount": 1000}'
where account_id = bench.id(0, :nth) and key = bench.id(4, :pay_key);
commit;
select o.account_id, status, queue_number, stay_ends_at, parked_at
from unnest(array[bench.id(0, :nth)]) with ordinality as o (account_id, nth)
left join lateral (
    select status, queue_number, stay_ends_at, parked_at
    from queue_tokens
    where program_id = :program and account_id = o.account_id and status in ('WAITING', 'ACTIVE')
    limit 1
) t on true
order by nth;
select o.account_id, status, queue_number, stay_ends_at, parked_at
from unnest(array[bench.id(0, :nth)]) with ordinality as o (account_id, nth)
left join lateral (
    select status, queue_number, stay_ends_at, parked_at
    from queue_tokens
    where program_id = :program and account_id = o.account_id and status in ('WAITING', 'ACTIVE')
    limit 1
) t on true
order by nth;
