-- Set-up: one program with one performance, for one run. Prints its first seat's id; the others
-- follow without a gap.
--
-- Variables: nth; status, DRAFT where pgbench runs alone, so that no worker of the server
-- joins in; capacity, how many are inside at once; seats, each with somebody inside who may
-- take it: the nth seat is the nth person's. Stays and holds outlast the whole bench.
insert into programs (id, slug, title, status, on_sale_at, off_sale_at, queue_capacity,
    stay_secs, hold_ttl_secs)
values (bench.id(1, :nth), 'bench-' || :nth, 'Bench', :'status', now() - interval '1 hour',
    now() + interval '1 day', :capacity, 86400, 3600);

insert into venues (id, name) values (bench.id(3, :nth), 'Bench');

insert into schedules (id, program_id, venue_id, starts_at)
values (bench.id(2, :nth), bench.id(1, :nth), bench.id(3, :nth), now() + interval '7 days');

insert into seats (venue_id, section, row_label, number, x, y)
select bench.id(3, :nth), 'Stalls', (nth / 40)::text, nth % 40, nth % 40, nth / 40
from generate_series(0, :seats - 1) nth;

insert into schedule_seats (schedule_id, seat_id, price)
select bench.id(2, :nth), seats.id, 1000 from seats where venue_id = bench.id(3, :nth) order by seats.id;

insert into zones (id, schedule_id, name, price, capacity, remaining)
values (bench.id(8, :nth), bench.id(2, :nth), 'Field', 1000, 1000000, 1000000);

insert into queue_tokens (id, program_id, account_id, queue_number, status, admitted_at,
    stay_ends_at, expires_at)
select gen_random_uuid(), bench.id(1, :nth), bench.id(0, nth), nth, 'ACTIVE', now(),
    now() + interval '1 day', now() + interval '1 day'
from generate_series(1, :seats) nth;

-- A line only where people join: workers look after every program that has one.
insert into queue_numbers (program_id) select bench.id(1, :nth) where :seats = 0;
insert into queue_gates (program_id) select bench.id(1, :nth) where :seats = 0;

vacuum analyze queue_tokens, seats, schedule_seats, zones, queue_numbers;
checkpoint;
select coalesce(min(id), 0) from schedule_seats where schedule_id = bench.id(2, :nth);
