-- Set-up: of a database of its own, 10,000 programs with a performance each, booked on each of 30 days, the
-- last of which has begun somewhere in the world, and one program with 100 performances of 2,000 seats. Person 1 is an administrator.
insert into programs (id, slug, title, status, on_sale_at, off_sale_at)
select bench.id(1, nth), 'bench-' || nth, 'Bench ' || nth, 'PUBLISHED', now() - interval '1 hour',
    now() + interval '200 days'
from generate_series(1, 10000) nth;
insert into venues (id, name) values (bench.id(3, 1), 'Bench');
insert into schedules (id, program_id, venue_id, starts_at)
select bench.id(2, nth), bench.id(1, nth), bench.id(3, 1), now() + interval '7 days'
from generate_series(1, 10000) nth;

with counted as (
    update daily_sales_progress set counts = counts + 1, counted_until = clock_timestamp()
    returning counts
)
insert into daily_sales (day, schedule_id, program_id, bookings, revenue, changed_in)
select current_date - days, bench.id(2, nth), bench.id(1, nth), 1 + (nth * 7919 + days) % 500,
    1000 * (1 + (nth * 7919 + days) % 500), counts
from counted, generate_series(1, 10000) nth, generate_series(-1, 28) days;

insert into programs (id, slug, title, status, on_sale_at, off_sale_at)
values (bench.id(1, 20000), 'bench-dates', 'Bench', 'PUBLISHED', now() - interval '1 hour',
    now() + interval '200 days');
insert into seats (venue_id, section, row_label, number, x, y)
select bench.id(3, 1), 'Section ' || nth / 500, (nth % 500 / 40)::text, nth % 40, nth % 40, nth / 40
from generate_series(0, 1999) nth;
insert into schedules (id, program_id, venue_id, starts_at)
select bench.id(2, 20000 + nth), bench.id(1, 20000), bench.id(3, 1), now() + nth * interval '1 day'
from generate_series(1, 100) nth;
insert into schedule_seats (schedule_id, seat_id, price)
select schedules.id, seats.id, 1000 + seats.id % 5 * 100
from schedules, seats where program_id = bench.id(1, 20000) order by schedules.id, seats.id;

update accounts set role = 'ADMIN' where id = bench.id(0, 1);
insert into second_factors (account_id, sealed_secret, last_step)
values (bench.id(0, 1), decode(repeat('00', 48), 'hex'), 0);
update sessions set code_given_at = clock_timestamp() where account_id = bench.id(0, 1);
vacuum analyze;
checkpoint;
