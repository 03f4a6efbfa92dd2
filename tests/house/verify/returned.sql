-- Tickets that were put back on sale, beside what `healthy.sql` has, with nothing wrong: bob paid for a
-- seat and a place. The place is ada's now, and she is about to buy the seat, too.
insert into reservations (id, account_id, schedule_id, program_id, status, total, created_at,
    hold_ttl_secs, expires_at, refund_until, refund_percent, places_max, confirmed_at, settled_at,
    buys_return)
select id::uuid, account_id::uuid, '00000000-0000-0000-0000-000000000003',
    '00000000-0000-0000-0000-000000000001', status, total, made_at, 300,
    made_at + interval '300 seconds', now() + interval '6 days', 50, 8, confirmed_at, confirmed_at,
    buys_return
from (values
    ('00000000-0000-0000-0000-000000000021', '00000000-0000-0000-0000-0000000000b1', 'CONFIRMED',
        53000, now() - interval '50 seconds', now() - interval '30 seconds', false),
    ('00000000-0000-0000-0000-000000000031', '00000000-0000-0000-0000-0000000000a1', 'HELD',
        50000, now() - interval '20 seconds', null, true),
    ('00000000-0000-0000-0000-000000000033', '00000000-0000-0000-0000-0000000000a1', 'CONFIRMED',
        3000, now() - interval '25 seconds', now() - interval '22 seconds', true))
    reservations (id, account_id, status, total, made_at, confirmed_at, buys_return);
insert into reservation_items
    (id, reservation_id, schedule_id, schedule_seat_id, zone_id, unit_price, live, returned)
select id::uuid, '00000000-0000-0000-0000-000000000021', '00000000-0000-0000-0000-000000000003',
    (select s.id from schedule_seats s join seats on seats.id = seat_id
     where number = seat and schedule_id = '00000000-0000-0000-0000-000000000003'),
    zone_id::uuid, price, returned = 0, returned
from (values
    ('00000000-0000-0000-0000-000000000022', 3, null, 50000, 0),
    ('00000000-0000-0000-0000-000000000023', null, '00000000-0000-0000-0000-000000000004', 3000, 1))
    items (id, seat, zone_id, price, returned);
insert into payments (id, reservation_id, account_id, amount, status)
values
    ('00000000-0000-0000-0000-000000000024', '00000000-0000-0000-0000-000000000021',
        '00000000-0000-0000-0000-0000000000b1', 53000, 'COMPLETED'),
    ('00000000-0000-0000-0000-000000000035', '00000000-0000-0000-0000-000000000033',
        '00000000-0000-0000-0000-0000000000a1', 3000, 'COMPLETED');
insert into tickets (id, reservation_item_id, number, item_quantity, account_id, code, status)
values
    ('00000000-0000-0000-0000-000000000025', '00000000-0000-0000-0000-000000000022', 1, 1,
        '00000000-0000-0000-0000-0000000000b1', 'BOB-SEAT', 'VALID'),
    ('00000000-0000-0000-0000-000000000026', '00000000-0000-0000-0000-000000000023', 1, 1,
        '00000000-0000-0000-0000-0000000000b1', 'BOB-PLACE', 'VOID');
insert into ticket_returns (id, ticket_id, reservation_item_id, reservation_id, schedule_id,
    schedule_seat_id, zone_id, seller_id, payment_id, price, fee_percent, payout, status, settled_at)
select returned.id::uuid, tickets.id, items.id, items.reservation_id, schedule_id, schedule_seat_id,
    zone_id, account_id, '00000000-0000-0000-0000-000000000024', unit_price, 10, unit_price / 10 * 9,
    returned.status, returned.settled_at
from (values
    ('00000000-0000-0000-0000-000000000027', 'BOB-SEAT', 'OPEN', null),
    ('00000000-0000-0000-0000-000000000028', 'BOB-PLACE', 'SOLD', now() - interval '22 seconds'))
    returned (id, code, status, settled_at)
join tickets on tickets.code = returned.code
join reservation_items items on items.id = reservation_item_id;
insert into reservation_items (id, reservation_id, schedule_id, schedule_seat_id, zone_id, unit_price,
    live, return_id, awaits_return)
select item.id::uuid, item.reservation_id::uuid, schedule_id, schedule_seat_id, zone_id, price,
    status = 'SOLD', ticket_returns.id, status = 'OPEN'
from (values
    ('00000000-0000-0000-0000-000000000032', '00000000-0000-0000-0000-000000000031', 'OPEN'),
    ('00000000-0000-0000-0000-000000000034', '00000000-0000-0000-0000-000000000033', 'SOLD'))
    item (id, reservation_id, of_status)
join ticket_returns on status = of_status;
insert into tickets (id, reservation_item_id, number, item_quantity, account_id, code)
values ('00000000-0000-0000-0000-000000000036', '00000000-0000-0000-0000-000000000034', 1, 1,
    '00000000-0000-0000-0000-0000000000a1', 'ADA-PLACE');
update schedule_seats
set status = 'HELD', return_id = '00000000-0000-0000-0000-000000000027', price_after = price
where id = (select schedule_seat_id from ticket_returns where status = 'OPEN');
update zones set remaining = remaining - 1 where id = '00000000-0000-0000-0000-000000000004';
with entries (wallet_id, nth, last, kind, amount, sum, reference_id) as (values
    ('00000000-0000-0000-0000-0000000000b6'::uuid, 1, 2, 'PAYMENT', -53000, -53000,
        '00000000-0000-0000-0000-000000000024'::uuid),
    ('00000000-0000-0000-0000-0000000000b6', 2, 2, 'RESALE', 2700, -50300,
        '00000000-0000-0000-0000-000000000028'),
    ('00000000-0000-0000-0000-0000000000a6', 1, 1, 'PAYMENT', -3000, -3000,
        '00000000-0000-0000-0000-000000000035')
), moved as (
    update wallets set balance = balance + sum, version = version + last
    from entries where wallets.id = wallet_id and nth = last
    returning wallets.id, version - last as version, balance - sum as balance
), written as (
    insert into point_transactions
        (id, wallet_id, wallet_version, kind, amount, pending_change, balance_after, reference_id)
    select gen_random_uuid(), wallet_id, version + nth, kind, amount, 0, balance + sum, reference_id
    from entries join moved on moved.id = wallet_id
)
insert into house_entries (wallet_id, wallet_version, amount)
select wallet_id, version + nth, -amount from entries join moved on moved.id = wallet_id;
