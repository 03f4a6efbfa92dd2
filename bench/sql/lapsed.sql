-- Set-up: holds that ended a moment ago, one seat each, of a performance of its own.
-- Variables: nth, holds
begin;
insert into programs (id, slug, title, status, on_sale_at, off_sale_at)
values (bench.id(1, :nth), 'bench-' || :nth, 'Bench', 'PUBLISHED', now() - interval '1 hour',
    now() + interval '1 day');
insert into venues (id, name) values (bench.id(3, :nth), 'Bench');
insert into schedules (id, program_id, venue_id, starts_at)
values (bench.id(2, :nth), bench.id(1, :nth), bench.id(3, :nth), now() + interval '7 days');
insert into seats (venue_id, section, row_label, number, x, y)
select bench.id(3, :nth), 'Stalls', (nth / 40)::text, nth % 40, nth % 40, nth / 40
from generate_series(0, :holds - 1) nth;
insert into schedule_seats (schedule_id, seat_id, price, status)
select bench.id(2, :nth), seats.id, 1000, 'HELD' from seats where venue_id = bench.id(3, :nth)
order by seats.id;
with seat as (
    select id, gen_random_uuid() as reservation_id, row_number() over (order by id) as nth
    from schedule_seats where schedule_id = bench.id(2, :nth)
), held as (
    insert into reservations (id, account_id, schedule_id, program_id, total, expires_at,
        hold_ttl_secs, refund_until, refund_percent, places_max, created_at)
    select reservation_id, bench.id(0, 1 + nth % :people), bench.id(2, :nth), bench.id(1, :nth), 1000,
        now(), 300, now(), 100, 8, now() - interval '300 seconds'
    from seat
)
insert into reservation_items (id, reservation_id, schedule_id, schedule_seat_id, unit_price)
select gen_random_uuid(), reservation_id, bench.id(2, :nth), id, 1000 from seat;
commit;
