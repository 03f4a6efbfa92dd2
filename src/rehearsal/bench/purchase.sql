\set nth :n * :clients + :client_id + 1
\set seat :first_seat + :n * :clients + :client_id
\set n :n + 1
select id as account, gen_random_uuid() as reservation, gen_random_uuid() as item,
    gen_random_uuid() as payment
from accounts where lower(email) = lower(:nth::text || '@' || :host::text) \gset
begin;
select id as token from queue_tokens
where program_id = :program::uuid and account_id = :account::uuid and status = 'ACTIVE'
for no key update \gset
select clock_timestamp() as clock;
select version, price from schedule_seats
where id = any(array[:seat::bigint]) and schedule_id = :schedule::uuid
order by id for no key update \gset
select p.hold_ttl_secs, s.starts_at - make_interval(hours => p.refund_until_hours) as refund_until,
    (select coalesce(sum(i.quantity), 0) from reservations r
     join reservation_items i on i.reservation_id = r.id and i.live
     where r.account_id = :account::uuid and r.program_id = p.id and r.status in ('HELD', 'CONFIRMED')) as live
from schedules s join programs p on p.id = s.program_id where s.id = :schedule::uuid;
with moment as (
    select clock_timestamp() as at
), held as (
    insert into reservations (id, account_id, schedule_id, program_id, total, expires_at,
        hold_ttl_secs, refund_until, refund_percent, created_at)
    select :reservation::uuid, :account::uuid, :schedule::uuid, :program::uuid, :price::bigint,
        at + interval '300 seconds', 300, now(), 100, at
    from moment
    returning expires_at
), items as (
    insert into reservation_items (id, reservation_id, schedule_seat_id, unit_price)
    values (:item::uuid, :reservation::uuid, :seat::bigint, :price::bigint)
), taken as (
    update schedule_seats set status = 'HELD', version = version + 1, changed_xid = pg_current_xact_id()
    where id = :seat::bigint and version = :version::bigint and status = 'AVAILABLE'
    returning id
)
select expires_at, (select count(*) from taken) from held;
commit;
begin;
select id from queue_tokens
where program_id = :program::uuid and account_id = :account::uuid and status in ('WAITING', 'ACTIVE')
for no key update;
select id from reservations where id = :reservation::uuid and account_id = :account::uuid for no key update;
select r.status, r.total, r.expires_at <= c.now, p.status, i.id
from reservations r
cross join (select clock_timestamp() as now offset 0) c
join programs p on p.id = r.program_id
join reservation_items i on i.reservation_id = r.id
where r.id = :reservation::uuid order by i.schedule_seat_id, i.id;
insert into payments (id, reservation_id, account_id, amount, status)
values (:payment::uuid, :reservation::uuid, :account::uuid, :price::bigint, 'COMPLETED');
update reservations set status = 'CONFIRMED', settled_at = clock_timestamp(), version = version + 1
where id = any(array[:reservation::uuid]) and status = 'HELD';
with locked as materialized (
    select id from schedule_seats where id = any(array[:seat::bigint]) order by id for no key update
)
update schedule_seats s
set status = 'RESERVED', version = version + 1, changed_xid = pg_current_xact_id()
from locked where s.id = locked.id and s.status = 'HELD';
insert into tickets (id, reservation_item_id, account_id, code)
values (gen_random_uuid(), :item::uuid, :account::uuid, gen_random_uuid()::text);
select id as wallet, balance, pending, version as wallet_version from wallets
where account_id = :account::uuid for no key update \gset
with moved as (
    update wallets set balance = :balance::bigint - :price::bigint, pending = :pending::bigint,
        version = version + 1
    where id = :wallet::uuid and version = :wallet_version::bigint
    returning id, version, balance
)
insert into point_transactions
    (id, wallet_id, wallet_version, kind, amount, pending_change, balance_after, reference_id)
select gen_random_uuid(), id, version, 'PAYMENT', -:price::bigint, 0, balance, :payment::uuid from moved;
select count(*) from reservations
where account_id = :account::uuid and program_id = :program::uuid and status = 'HELD'
    and expires_at > clock_timestamp();
update queue_tokens set status = 'COMPLETED', ended_at = clock_timestamp() where id = :token::uuid;
commit;
