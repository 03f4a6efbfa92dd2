-- An office after some business, with nothing wrong: ada (a1) bought a seat and sent points,
-- bob (b1) holds two places, cas (c1) gave a seat back, let a hold lapse and waits.
insert into accounts (id, email, name, password_hash)
select id::uuid, name || '@example.com', name, 'none'
from (values
    ('00000000-0000-0000-0000-0000000000a1', 'ada'),
    ('00000000-0000-0000-0000-0000000000b1', 'bob'),
    ('00000000-0000-0000-0000-0000000000c1', 'cas')) people (id, name);
-- dee (f1) deleted the account and gave points up.
insert into accounts (id, email, name, password_hash, deleted_at)
values ('00000000-0000-0000-0000-0000000000f1', 'deleted-00000000-0000-0000-0000-0000000000f1',
    'Deleted account', '-', now() - interval '1 minute');

insert into programs (id, slug, title, status, on_sale_at, off_sale_at, queue_capacity)
values ('00000000-0000-0000-0000-000000000001', 'healthy', 'Healthy', 'PUBLISHED',
    now() - interval '1 day', now() + interval '1 day', 2);
insert into venues (id, name) values ('00000000-0000-0000-0000-000000000002', 'A hall');
insert into schedules (id, program_id, venue_id, starts_at)
values ('00000000-0000-0000-0000-000000000003', '00000000-0000-0000-0000-000000000001',
    '00000000-0000-0000-0000-000000000002', now() + interval '7 days');
insert into seats (venue_id, section, row_label, number, x, y)
select '00000000-0000-0000-0000-000000000002', 'Stalls', 'A', number, number, 0
from generate_series(1, 5) number;
insert into schedule_seats (schedule_id, seat_id, price, status)
select '00000000-0000-0000-0000-000000000003', id, 50000,
    case number when 1 then 'RESERVED' when 5 then 'BLOCKED' else 'AVAILABLE' end
from seats;
insert into zones (id, schedule_id, name, price, capacity, remaining)
values ('00000000-0000-0000-0000-000000000004', '00000000-0000-0000-0000-000000000003',
    'Standing', 30000, 100, 98);

insert into queue_numbers (program_id, next_number)
values ('00000000-0000-0000-0000-000000000001', 5);
insert into queue_gates (program_id) values ('00000000-0000-0000-0000-000000000001');
insert into queue_tokens (id, program_id, account_id, queue_number, status, admitted_at,
    stay_ends_at, expires_at, ended_at, inside_after, capacity_then)
select gen_random_uuid(), '00000000-0000-0000-0000-000000000001', account_id::uuid, number, status,
    admitted_at, admitted_at + interval '10 minutes', admitted_at + interval '10 minutes',
    ended_at, inside_after, 2
from (values
    ('00000000-0000-0000-0000-0000000000c1', 1, 'EXPIRED', now() - interval '61 minutes',
        now() - interval '51 minutes', 1),
    ('00000000-0000-0000-0000-0000000000a1', 2, 'COMPLETED', now() - interval '2 minutes', now(), 1),
    ('00000000-0000-0000-0000-0000000000b1', 3, 'ACTIVE', now() - interval '1 minute', null, 2),
    ('00000000-0000-0000-0000-0000000000c1', 4, 'WAITING', null, null, null))
    tokens (account_id, number, status, admitted_at, ended_at, inside_after);

insert into reservations (id, account_id, schedule_id, program_id, status, total, created_at,
    hold_ttl_secs, renewed_at, expires_at, refund_until, refund_percent, places_max, confirmed_at,
    settled_at)
select id::uuid, account_id::uuid, '00000000-0000-0000-0000-000000000003',
    '00000000-0000-0000-0000-000000000001', status, total, made_at, 300, renewed_at,
    made_at + make_interval(secs => case when renewed_at is null then 300 else 420 end),
    now() + interval '6 days', 50, 8,
    case when status in ('CONFIRMED', 'REFUNDED') then made_at + interval '50 seconds' end, settled_at
from (values
    ('00000000-0000-0000-0000-0000000000a2', '00000000-0000-0000-0000-0000000000a1', 'CONFIRMED',
        50000, now() - interval '1 minute', null, now() - interval '10 seconds'),
    ('00000000-0000-0000-0000-0000000000b2', '00000000-0000-0000-0000-0000000000b1', 'HELD',
        60000, now() - interval '1 minute', now(), null),
    ('00000000-0000-0000-0000-0000000000c2', '00000000-0000-0000-0000-0000000000c1', 'REFUNDED',
        50000, now() - interval '1 hour', null, now() - interval '30 minutes'),
    ('00000000-0000-0000-0000-0000000000c3', '00000000-0000-0000-0000-0000000000c1', 'EXPIRED',
        30000, now() - interval '59 minutes', null, now() - interval '54 minutes'))
    reservations (id, account_id, status, total, made_at, renewed_at, settled_at);
-- What cas gave back was offered from the waiting list, which ada has left and in which bob waits.
insert into wishes (id, schedule_id, program_id, account_id, number, places, price_max, is_together,
    status, settled_at, created_at)
select id::uuid, '00000000-0000-0000-0000-000000000003', '00000000-0000-0000-0000-000000000001',
    account_id::uuid, number, 1, 60000, false, status, settled_at, now() - interval '2 hours'
from (values
    ('00000000-0000-0000-0000-00000000000a', '00000000-0000-0000-0000-0000000000a1', 1, 'LEFT',
        now() - interval '90 minutes'),
    ('00000000-0000-0000-0000-00000000000c', '00000000-0000-0000-0000-0000000000c1', 2, 'OFFERED',
        now() - interval '1 hour'),
    ('00000000-0000-0000-0000-00000000000b', '00000000-0000-0000-0000-0000000000b1', 3, 'WAITING', null))
    wishes (id, account_id, number, status, settled_at);
update waiting_lists set next_number = 4, waiting = 1;
update reservations set wish_id = '00000000-0000-0000-0000-00000000000c' where id::text like '%c2';
insert into reservation_items
    (id, reservation_id, schedule_id, schedule_seat_id, zone_id, quantity, unit_price, live)
select item.id::uuid, reservation_id::uuid, '00000000-0000-0000-0000-000000000003',
    (select s.id from schedule_seats s join seats on seats.id = seat_id where number = seat),
    zone_id::uuid, quantity, unit_price, live
from (values
    ('00000000-0000-0000-0000-0000000000a3', '00000000-0000-0000-0000-0000000000a2', 1, null, 1, 50000, true),
    ('00000000-0000-0000-0000-0000000000b3', '00000000-0000-0000-0000-0000000000b2', null,
        '00000000-0000-0000-0000-000000000004', 2, 30000, true),
    ('00000000-0000-0000-0000-0000000000c5', '00000000-0000-0000-0000-0000000000c2', 2, null, 1, 50000, false),
    ('00000000-0000-0000-0000-0000000000c6', '00000000-0000-0000-0000-0000000000c3', null,
        '00000000-0000-0000-0000-000000000004', 1, 30000, false))
    item (id, reservation_id, seat, zone_id, quantity, unit_price, live);
insert into payments (id, reservation_id, account_id, amount, status, created_at)
values
    ('00000000-0000-0000-0000-0000000000a4', '00000000-0000-0000-0000-0000000000a2',
        '00000000-0000-0000-0000-0000000000a1', 50000, 'COMPLETED', now()),
    ('00000000-0000-0000-0000-0000000000c4', '00000000-0000-0000-0000-0000000000c2',
        '00000000-0000-0000-0000-0000000000c1', 50000, 'REFUNDED', now() - interval '58 minutes');
insert into tickets (id, reservation_item_id, number, item_quantity, account_id, code, status)
values
    ('00000000-0000-0000-0000-0000000000a5', '00000000-0000-0000-0000-0000000000a3', 1, 1,
        '00000000-0000-0000-0000-0000000000a1', 'ADA', 'VALID'),
    ('00000000-0000-0000-0000-0000000000c7', '00000000-0000-0000-0000-0000000000c5', 1, 1,
        '00000000-0000-0000-0000-0000000000c1', 'CAS', 'VOID');
-- Ada's ticket was handed over to Bob and back, and is offered to Bob again. The first change took the
-- code 'ADA-1', the second 'BOB-1'.
insert into ticket_hand_overs
    (id, ticket_id, sender_id, recipient_id, address, status, expires_at, settled_at)
select id::uuid, '00000000-0000-0000-0000-0000000000a5', sender_id::uuid, recipient_id::uuid, address,
    status, now() + interval '3 days', case status when 'PENDING' then null else now() end
from (values
    ('00000000-0000-0000-0000-0000000000e1', '00000000-0000-0000-0000-0000000000a1',
        '00000000-0000-0000-0000-0000000000b1', null, 'ACCEPTED'),
    ('00000000-0000-0000-0000-0000000000e2', '00000000-0000-0000-0000-0000000000b1',
        '00000000-0000-0000-0000-0000000000a1', null, 'ACCEPTED'),
    ('00000000-0000-0000-0000-0000000000e3', '00000000-0000-0000-0000-0000000000a1',
        '00000000-0000-0000-0000-0000000000b1', null, 'DECLINED'),
    ('00000000-0000-0000-0000-0000000000e4', '00000000-0000-0000-0000-0000000000a1',
        '00000000-0000-0000-0000-0000000000b1', 'bob@example.com', 'PENDING'))
    hand_over (id, sender_id, recipient_id, address, status);
insert into ticket_holder_changes (hand_over_id, ticket_id, number, code_hash)
values
    ('00000000-0000-0000-0000-0000000000e1', '00000000-0000-0000-0000-0000000000a5', 1, sha256('ADA-1')),
    ('00000000-0000-0000-0000-0000000000e2', '00000000-0000-0000-0000-0000000000a5', 2, sha256('BOB-1'));
insert into idempotency_keys (account_id, key, fingerprint, outcome)
values ('00000000-0000-0000-0000-0000000000a1', gen_random_uuid(), '', jsonb_build_object(
    'payment_id', '00000000-0000-0000-0000-0000000000a4', 'amount', 50000, 'balance', 50000));

insert into transfers (id, sender_id, receiver_id, amount, status, expires_at, version)
select id::uuid, sender_id::uuid, receiver_id::uuid, amount, status, now() + interval '3 days',
    case status when 'PENDING' then 0 else 1 end
from (values
    ('00000000-0000-0000-0000-0000000000d1', '00000000-0000-0000-0000-0000000000a1',
        '00000000-0000-0000-0000-0000000000b1', 1000, 'PENDING'),
    ('00000000-0000-0000-0000-0000000000d2', '00000000-0000-0000-0000-0000000000b1',
        '00000000-0000-0000-0000-0000000000a1', 2000, 'ACCEPTED'),
    ('00000000-0000-0000-0000-0000000000d3', '00000000-0000-0000-0000-0000000000b1',
        '00000000-0000-0000-0000-0000000000c1', 3000, 'REJECTED'))
    transfers (id, sender_id, receiver_id, amount, status);
insert into transfer_status_history (transfer_id, version, status)
select id, 0, 'PENDING' from transfers
union all
select id, 1, status from transfers where version = 1;

insert into wallets (id, account_id, balance, pending, version)
values
    ('00000000-0000-0000-0000-0000000000a6', '00000000-0000-0000-0000-0000000000a1', 52000, 1000, 4),
    ('00000000-0000-0000-0000-0000000000b6', '00000000-0000-0000-0000-0000000000b1', 98000, 0, 5),
    ('00000000-0000-0000-0000-0000000000c8', '00000000-0000-0000-0000-0000000000c1', 75000, 0, 3),
    ('00000000-0000-0000-0000-0000000000f6', '00000000-0000-0000-0000-0000000000f1', 0, 0, 2);
update wallets set closed_at = now() - interval '1 minute' where version = 2;
insert into point_transactions
    (id, wallet_id, wallet_version, kind, amount, pending_change, balance_after, reference_id)
select gen_random_uuid(), wallet_id::uuid, version, kind, amount, pending_change, balance_after,
    coalesce(reference_id::uuid, gen_random_uuid())
from (values
    ('00000000-0000-0000-0000-0000000000a6', 1, 'CHARGE', 100000, 0, 100000, null),
    ('00000000-0000-0000-0000-0000000000a6', 2, 'PAYMENT', -50000, 0, 50000, '00000000-0000-0000-0000-0000000000a4'),
    ('00000000-0000-0000-0000-0000000000a6', 3, 'TRANSFER_HOLD', 0, 1000, 50000, '00000000-0000-0000-0000-0000000000d1'),
    ('00000000-0000-0000-0000-0000000000a6', 4, 'TRANSFER_IN', 2000, 0, 52000, '00000000-0000-0000-0000-0000000000d2'),
    ('00000000-0000-0000-0000-0000000000b6', 1, 'CHARGE', 100000, 0, 100000, null),
    ('00000000-0000-0000-0000-0000000000b6', 2, 'TRANSFER_HOLD', 0, 2000, 100000, '00000000-0000-0000-0000-0000000000d2'),
    ('00000000-0000-0000-0000-0000000000b6', 3, 'TRANSFER_HOLD', 0, 3000, 100000, '00000000-0000-0000-0000-0000000000d3'),
    ('00000000-0000-0000-0000-0000000000b6', 4, 'TRANSFER_OUT', -2000, -2000, 98000, '00000000-0000-0000-0000-0000000000d2'),
    ('00000000-0000-0000-0000-0000000000b6', 5, 'TRANSFER_RELEASE', 0, -3000, 98000, '00000000-0000-0000-0000-0000000000d3'),
    ('00000000-0000-0000-0000-0000000000c8', 1, 'CHARGE', 100000, 0, 100000, null),
    ('00000000-0000-0000-0000-0000000000c8', 2, 'PAYMENT', -50000, 0, 50000, '00000000-0000-0000-0000-0000000000c4'),
    ('00000000-0000-0000-0000-0000000000c8', 3, 'REFUND', 25000, 0, 75000, '00000000-0000-0000-0000-0000000000c4'),
    ('00000000-0000-0000-0000-0000000000f6', 1, 'CHARGE', 700, 0, 700, null),
    ('00000000-0000-0000-0000-0000000000f6', 2, 'FORFEIT', -700, 0, 0, '00000000-0000-0000-0000-0000000000f1'))
    entries (wallet_id, version, kind, amount, pending_change, balance_after, reference_id);
insert into house_entries (wallet_id, wallet_version, amount)
select wallet_id, wallet_version, -amount from point_transactions where kind not like 'TRANSFER%';

insert into outbox (id, kind, payload, recipient, locale, order_key, dedupe_key, expires_at, sent_at)
values (gen_random_uuid(), 'password-changed', 'null', 'ada@example.com', 'en', 'account:a1',
    'healthy', now() + interval '3 days', now());

-- A system of others that is told of the payment.
insert into webhook_endpoints (id, url, description, kinds, sealed_secret)
values ('00000000-0000-0000-0000-0000000000e1', 'https://hooks.example/stagedoor', 'Accounting',
    '{reservation.paid}', sha256('a') || substr(sha256('b'), 1, 28));
insert into domain_events (id, subject_id, kind, payload)
values ('00000000-0000-0000-0000-0000000000e2', '00000000-0000-0000-0000-0000000000a2',
    'reservation.paid', '{}');
update webhook_deliveries set delivered_at = now(), attempts = 1;
