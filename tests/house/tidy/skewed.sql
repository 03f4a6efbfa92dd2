-- One house of 400,000 seats beside a thousand of 300; one line of 1,000,000 beside lines of 10;
-- one wallet of 1,000,000 entries beside wallets of 10. Number 0 is the huge one everywhere.
--
-- No trigger fires and no foreign key is asked row by row: all of this is as it would be, and
-- only its numbers matter.
set session_replication_role = replica;
set work_mem = '64MB';
set synchronous_commit = off;

create function pg_temp.id(kind text, nth bigint) returns uuid language sql immutable
    return (substr(md5(kind), 1, 8) || '-0000-7000-8000-' || lpad(to_hex(nth), 12, '0'))::uuid;

insert into programs (id, slug, title, status, on_sale_at, off_sale_at)
select pg_temp.id('program', n), 'program-' || n, 'A program', 'PUBLISHED',
    now() - interval '1 day', now() + interval '30 days'
from generate_series(0, 1000) n;

insert into venues (id, name) select pg_temp.id('venue', n), 'A venue' from generate_series(0, 1000) n;

insert into schedules (id, program_id, venue_id, starts_at)
select pg_temp.id('schedule', n), pg_temp.id('program', n), pg_temp.id('venue', n),
    now() + interval '7 days'
from generate_series(0, 1000) n;

insert into seats (venue_id, section, row_label, number, x, y)
select pg_temp.id('venue', 0), 'S' || i / 1000, 'R' || i % 1000 / 40, i % 40, i % 40, i / 40
from generate_series(0, 399999) i;
insert into seats (venue_id, section, row_label, number, x, y)
select pg_temp.id('venue', n), 'Stalls', 'R' || i / 20, i % 20, i % 20, i / 20
from generate_series(1, 1000) n, generate_series(0, 299) i;

insert into schedule_seats (schedule_id, seat_id, price)
select schedules.id, seats.id, 1000 from seats join schedules using (venue_id);

insert into zones (id, schedule_id, name, price, capacity, remaining)
select pg_temp.id('zone', n), pg_temp.id('schedule', n), 'Standing', 1000, 100000, 100000
from generate_series(0, 1000) n;

insert into accounts (id, email, name, password_hash)
select pg_temp.id('account', n), 'visitor-' || n || '@example.com', 'A visitor', 'none'
from generate_series(0, 19999) n;
insert into sessions (token_hash, account_id, expires_at)
select sha256(n::text::bytea), pg_temp.id('account', n), now() + interval '1 day'
from generate_series(0, 19999) n;

insert into queue_numbers (program_id, next_number)
select pg_temp.id('program', n), case n when 0 then 1000001 else 11 end from generate_series(0, 1000) n;
insert into queue_gates (program_id) select pg_temp.id('program', n) from generate_series(0, 1000) n;
insert into queue_tokens (id, program_id, account_id, queue_number)
select pg_temp.id('token', n), pg_temp.id('program', 0), pg_temp.id('account', n), n + 1
from generate_series(0, 999999) n;
insert into queue_tokens (id, program_id, account_id, queue_number)
select pg_temp.id('short line', p * 10 + n), pg_temp.id('program', p),
    pg_temp.id('account', p * 10 + n), n + 1
from generate_series(1, 1000) p, generate_series(0, 9) n;

insert into turn_notices (token_id, program_id, queue_number, ended_at)
select id, program_id, queue_number, case when queue_number <= 1000 then now() end
from queue_tokens where program_id = pg_temp.id('program', 0) and queue_number <= 300000;
insert into turn_notices (token_id, program_id, queue_number)
select id, program_id, queue_number
from queue_tokens where program_id <> pg_temp.id('program', 0) and queue_number <= 2;

insert into wallets (id, account_id, balance, version)
select pg_temp.id('wallet', n), pg_temp.id('account', n), 1000, case n when 0 then 1000000 else 10 end
from generate_series(0, 1000) n;
insert into point_transactions
    (id, wallet_id, wallet_version, kind, amount, balance_after, reference_id)
select pg_temp.id('entry', n), pg_temp.id('wallet', 0), n, 'CHARGE', 1, n, pg_temp.id('charge', n)
from generate_series(1, 1000000) n;
insert into point_transactions
    (id, wallet_id, wallet_version, kind, amount, balance_after, reference_id)
select pg_temp.id('few entries', p * 10 + n), pg_temp.id('wallet', p), n, 'CHARGE', 1, n,
    pg_temp.id('few charges', p * 10 + n)
from generate_series(1, 1000) p, generate_series(1, 10) n;

-- Half of the huge house is sold, every second seat of that to one account; of each small house
-- ten seats are.
insert into reservations (id, account_id, schedule_id, program_id, status, total, expires_at,
    hold_ttl_secs, refund_until, refund_percent, places_max, confirmed_at, settled_at)
select pg_temp.id('reservation', n), pg_temp.id('account', case n % 2 when 0 then 0 else n % 20000 end),
    pg_temp.id('schedule', 0), pg_temp.id('program', 0), 'CONFIRMED', 2000, now(), 300, now(), 100, 8,
    now() - interval '1 second', now()
from generate_series(1, 100000) n;
insert into reservations (id, account_id, schedule_id, program_id, status, total, expires_at,
    hold_ttl_secs, refund_until, refund_percent, places_max, confirmed_at, settled_at)
select pg_temp.id('few reservations', p * 10 + n), pg_temp.id('account', p * 10 + n),
    pg_temp.id('schedule', p), pg_temp.id('program', p), 'CONFIRMED', 2000, now(), 300, now(), 100, 8,
    now() - interval '1 second', now()
from generate_series(1, 1000) p, generate_series(0, 9) n;
insert into reservation_items (id, reservation_id, schedule_id, schedule_seat_id, unit_price)
select gen_random_uuid(), r.id, schedule_id, s.id, 1000
from (select id, schedule_id, row_number() over (partition by schedule_id) as nth from reservations) r
join (select id, schedule_id, (row_number() over (partition by schedule_id order by id) + 1) / 2 as nth
      from schedule_seats) s using (schedule_id, nth);
insert into payments (id, reservation_id, account_id, amount, status)
select gen_random_uuid(), id, account_id, total, 'COMPLETED' from reservations;
insert into tickets (id, reservation_item_id, number, item_quantity, account_id, code)
select gen_random_uuid(), items.id, 1, 1, account_id, items.id::text
from reservation_items items join reservations on reservations.id = reservation_id;

-- Shares, most of them of one payer; some wait for the others.
insert into shares (id, reservation_id, payer_id, amount, status, code_hash, withheld_at, settled_at)
select pg_temp.id('share', n), pg_temp.id('reservation', n),
    case when n % 10 > 0 then pg_temp.id('account', case n % 2 when 0 then 0 else n % 20000 end) end,
    1000, case n % 10 when 0 then 'OPEN' else 'PAID' end, sha256(n::text::bytea),
    case when n % 10 > 0 then now() end, case when n % 10 > 0 then now() end
from generate_series(1, 50000) n;
insert into share_places (share_id, reservation_item_id, number, item_quantity)
select shares.id, items.id, 1, 1
from shares join reservation_items items on items.reservation_id = shares.reservation_id;

-- Codes, most of them of one program, and redeemed by one account.
insert into sale_codes (id, program_id, word, is_access, section)
select pg_temp.id('code', n), pg_temp.id('program', case n % 2 when 0 then 0 else n % 1000 end),
    'CODE-' || n, true, 'Stalls'
from generate_series(1, 50000) n;
insert into code_redemptions (account_id, sale_code_id)
select pg_temp.id('account', case n % 2 when 0 then 0 else n % 20000 end), pg_temp.id('code', n)
from generate_series(1, 50000) n;

-- What one account sent to another, and what staff did.
insert into ticket_hand_overs (id, ticket_id, sender_id, recipient_id, address, expires_at)
select pg_temp.id('hand-over', nth), id, account_id, pg_temp.id('account', nth % 20000),
    'friend@example.com', now() + interval '3 days'
from (select id, account_id, row_number() over () as nth from tickets) numbered
where nth <= 20000 and account_id <> pg_temp.id('account', nth % 20000);
insert into ticket_hand_overs
    (id, ticket_id, sender_id, recipient_id, status, expires_at, settled_at)
select pg_temp.id('past hand-over', n), pg_temp.id('no ticket', n / 2),
    pg_temp.id('account', case n % 2 when 0 then 0 else n % 20000 end),
    pg_temp.id('account', n % 19999 + 1), 'ACCEPTED', now(), now()
from generate_series(1, 50000) n where n % 20000 <> n % 19999 + 1;
insert into ticket_holder_changes (hand_over_id, ticket_id, number, code_hash)
select pg_temp.id('past hand-over', n), pg_temp.id('no ticket', n / 2), n % 2 + 1,
    sha256(n::text::bytea)
from generate_series(1, 50000) n;
insert into transfers (id, sender_id, receiver_id, amount, expires_at)
select pg_temp.id('transfer', n), pg_temp.id('account', case n % 2 when 0 then 0 else n end),
    pg_temp.id('account', n + 1), 1, now() + interval '3 days'
from generate_series(1, 10000) n;
insert into audit_log (id, account_id, act, subject_kind, subject_id)
select pg_temp.id('act', n), pg_temp.id('account', n % 5), 'program-edited', 'program',
    pg_temp.id('program', n % 1000)::text
from generate_series(1, 20000) n;
insert into idempotency_keys (account_id, key, fingerprint)
select pg_temp.id('account', n % 20000), pg_temp.id('key', n), sha256(n::text::bytea)
from generate_series(1, 50000) n;
