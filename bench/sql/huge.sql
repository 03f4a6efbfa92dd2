-- Set-up: much of everything that the small ones of the same database have little of: a performance
-- of 400,000 seats of which half are sold, and a wallet of 1,000,000 entries. Numbers from 9,000,000
-- on are its own.
insert into programs (id, slug, title, status, on_sale_at, off_sale_at)
values (bench.id(1, 9000000), 'bench-huge', 'Bench', 'PUBLISHED', now() - interval '1 hour',
    now() + interval '1 day');
insert into venues (id, name) values (bench.id(3, 9000000), 'Bench');
insert into schedules (id, program_id, venue_id, starts_at)
values (bench.id(2, 9000000), bench.id(1, 9000000), bench.id(3, 9000000), now() + interval '7 days');

insert into seats (venue_id, section, row_label, number, x, y)
select bench.id(3, 9000000), 'Section ' || nth / 1000, (nth % 1000 / 40)::text, nth % 40, nth % 40, nth / 40
from generate_series(0, 399999) nth;
insert into schedule_seats (schedule_id, seat_id, price, status, version)
select bench.id(2, 9000000), seats.id, 1000, case when seats.id % 2 = 0 then 'RESERVED' else 'AVAILABLE' end, 2
from seats where venue_id = bench.id(3, 9000000) order by seats.id;

-- Each sold seat is a reservation of its own, of one of the bench's people.
insert into reservations (id, account_id, schedule_id, program_id, status, total, expires_at,
    hold_ttl_secs, refund_until, refund_percent, places_max, confirmed_at, settled_at)
select bench.id(5, 9000000 + nth), bench.id(0, 1 + nth % :people), bench.id(2, 9000000),
    bench.id(1, 9000000), 'CONFIRMED', 1000, now() + interval '1 hour', 300, now(), 100, 8, now(), now()
from generate_series(1, 200000) nth;
insert into reservation_items (id, reservation_id, schedule_id, schedule_seat_id, unit_price)
select gen_random_uuid(), bench.id(5, 9000000 + row_number() over ()), schedule_id, id, 1000
from schedule_seats where schedule_id = bench.id(2, 9000000) and status = 'RESERVED';
insert into payments (id, reservation_id, account_id, amount, status)
select gen_random_uuid(), id, account_id, total, 'COMPLETED'
from reservations where schedule_id = bench.id(2, 9000000);
insert into tickets (id, reservation_item_id, number, item_quantity, account_id, code)
select gen_random_uuid(), items.id, 1, 1, account_id, replace(items.id::text, '-', '')
from reservation_items items join reservations on reservations.id = reservation_id
where reservations.schedule_id = bench.id(2, 9000000);

insert into accounts (id, email, name, password_hash)
values (bench.id(0, 9000000), 'huge@bench.invalid', 'Bench', 'none');
begin;
insert into wallets (id, account_id, balance, version)
values (bench.id(9, 9000000), bench.id(0, 9000000), 1000000, 1000000);
insert into point_transactions (id, wallet_id, wallet_version, kind, amount, balance_after, reference_id)
select gen_random_uuid(), bench.id(9, 9000000), nth, 'CHARGE', 1, nth, gen_random_uuid()
from generate_series(1, 1000000) nth;
commit;

vacuum analyze;
checkpoint;
