-- Another program with a performance, a seat and a zone.
insert into programs (id, slug, title, status, on_sale_at, off_sale_at)
values ('00000000-0000-0000-0000-000000000011', 'another', 'Another', 'PUBLISHED',
    now() - interval '1 day', now() + interval '1 day');
insert into schedules (id, program_id, venue_id, starts_at)
values ('00000000-0000-0000-0000-000000000013', '00000000-0000-0000-0000-000000000011',
    '00000000-0000-0000-0000-000000000002', now() + interval '7 days');
insert into schedule_seats (schedule_id, seat_id, price)
select '00000000-0000-0000-0000-000000000013', id, 1 from seats;
insert into zones (id, schedule_id, name, price, capacity, remaining)
values ('00000000-0000-0000-0000-000000000014', '00000000-0000-0000-0000-000000000013',
    'Standing', 1, 10, 10);
