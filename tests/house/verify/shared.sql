-- What several people pay together, beside what `healthy.sql` has, with nothing wrong: bob paid a
-- reservation with ada, released another that she had paid a share of, and shares his hold with cas,
-- who has paid, and with somebody who has not.
update zones set remaining = remaining - 2 where id = '00000000-0000-0000-0000-000000000004';
update reservations set is_shared = true where id = '00000000-0000-0000-0000-0000000000b2';
insert into reservations (id, account_id, schedule_id, program_id, status, total, created_at,
    hold_ttl_secs, expires_at, refund_until, refund_percent, places_max, confirmed_at, settled_at,
    is_shared)
select id::uuid, '00000000-0000-0000-0000-0000000000b1', '00000000-0000-0000-0000-000000000003',
    '00000000-0000-0000-0000-000000000001', status, total, now() - interval '50 seconds', 300,
    now() + interval '250 seconds', now() + interval '6 days', 50, 8, confirmed_at,
    now() - interval '10 seconds', true
from (values
    ('00000000-0000-0000-0000-000000000091', 'CONFIRMED', 60000, now() - interval '10 seconds'),
    ('00000000-0000-0000-0000-000000000095', 'CANCELLED', 30000, null))
    reservations (id, status, total, confirmed_at);
insert into reservation_items
    (id, reservation_id, schedule_id, zone_id, quantity, unit_price, live)
select id::uuid, reservation_id::uuid, '00000000-0000-0000-0000-000000000003',
    '00000000-0000-0000-0000-000000000004', quantity, 30000, live
from (values
    ('00000000-0000-0000-0000-000000000092', '00000000-0000-0000-0000-000000000091', 2, true),
    ('00000000-0000-0000-0000-00000000009a', '00000000-0000-0000-0000-000000000095', 1, false))
    items (id, reservation_id, quantity, live);
insert into shares
    (id, reservation_id, payer_id, amount, status, code_hash, withheld_at, settled_at)
select id::uuid, reservation_id::uuid, payer_id::uuid, 30000, status,
    case when has_link then sha256(id::bytea) end,
    case when payer_id is not null then now() - interval '40 seconds' end, settled_at
from (values
    ('00000000-0000-0000-0000-000000000093', '00000000-0000-0000-0000-000000000091',
        '00000000-0000-0000-0000-0000000000a1', 'PAID', true, now() - interval '10 seconds'),
    ('00000000-0000-0000-0000-000000000094', '00000000-0000-0000-0000-000000000091',
        '00000000-0000-0000-0000-0000000000b1', 'PAID', false, now() - interval '10 seconds'),
    ('00000000-0000-0000-0000-000000000096', '00000000-0000-0000-0000-000000000095',
        '00000000-0000-0000-0000-0000000000a1', 'RETURNED', true, now()),
    ('00000000-0000-0000-0000-000000000097', '00000000-0000-0000-0000-0000000000b2',
        null, 'OPEN', true, null),
    ('00000000-0000-0000-0000-000000000098', '00000000-0000-0000-0000-0000000000b2',
        '00000000-0000-0000-0000-0000000000c1', 'WITHHELD', true, null))
    shares (id, reservation_id, payer_id, status, has_link, settled_at);
insert into share_places (share_id, reservation_item_id, number, item_quantity, live)
values
    ('00000000-0000-0000-0000-000000000093', '00000000-0000-0000-0000-000000000092', 1, 2, true),
    ('00000000-0000-0000-0000-000000000094', '00000000-0000-0000-0000-000000000092', 2, 2, true),
    ('00000000-0000-0000-0000-000000000096', '00000000-0000-0000-0000-00000000009a', 1, 1, false),
    ('00000000-0000-0000-0000-000000000097', '00000000-0000-0000-0000-0000000000b3', 1, 2, true),
    ('00000000-0000-0000-0000-000000000098', '00000000-0000-0000-0000-0000000000b3', 2, 2, true);
insert into payments (id, reservation_id, account_id, amount, status, number)
values
    ('00000000-0000-0000-0000-000000000093', '00000000-0000-0000-0000-000000000091',
        '00000000-0000-0000-0000-0000000000a1', 30000, 'COMPLETED', 1),
    ('00000000-0000-0000-0000-000000000094', '00000000-0000-0000-0000-000000000091',
        '00000000-0000-0000-0000-0000000000b1', 30000, 'COMPLETED', 2);
insert into tickets (id, reservation_item_id, number, item_quantity, account_id, code)
values
    (gen_random_uuid(), '00000000-0000-0000-0000-000000000092', 1, 2,
        '00000000-0000-0000-0000-0000000000a1', 'SHARED-ADA'),
    (gen_random_uuid(), '00000000-0000-0000-0000-000000000092', 2, 2,
        '00000000-0000-0000-0000-0000000000b1', 'SHARED-BOB');
update wallets set balance = balance - 30000, version = version + 4
where id = '00000000-0000-0000-0000-0000000000a6';
update wallets set balance = balance - 30000, version = version + 2
where id = '00000000-0000-0000-0000-0000000000b6';
update wallets set pending = pending + 30000, version = version + 1
where id = '00000000-0000-0000-0000-0000000000c8';
insert into point_transactions
    (id, wallet_id, wallet_version, kind, amount, pending_change, balance_after, reference_id)
select gen_random_uuid(), wallet_id::uuid, version, kind, amount, pending_change, balance_after,
    reference_id::uuid
from (values
    ('00000000-0000-0000-0000-0000000000a6', 5, 'SHARE_HOLD', 0, 30000, 52000, '00000000-0000-0000-0000-000000000096'),
    ('00000000-0000-0000-0000-0000000000a6', 6, 'SHARE_RELEASE', 0, -30000, 52000, '00000000-0000-0000-0000-000000000096'),
    ('00000000-0000-0000-0000-0000000000a6', 7, 'SHARE_HOLD', 0, 30000, 52000, '00000000-0000-0000-0000-000000000093'),
    ('00000000-0000-0000-0000-0000000000a6', 8, 'PAYMENT', -30000, -30000, 22000, '00000000-0000-0000-0000-000000000093'),
    ('00000000-0000-0000-0000-0000000000b6', 6, 'SHARE_HOLD', 0, 30000, 98000, '00000000-0000-0000-0000-000000000094'),
    ('00000000-0000-0000-0000-0000000000b6', 7, 'PAYMENT', -30000, -30000, 68000, '00000000-0000-0000-0000-000000000094'),
    ('00000000-0000-0000-0000-0000000000c8', 4, 'SHARE_HOLD', 0, 30000, 75000, '00000000-0000-0000-0000-000000000098'))
    entries (wallet_id, version, kind, amount, pending_change, balance_after, reference_id);
insert into house_entries (wallet_id, wallet_version, amount)
select wallet_id, wallet_version, -amount from point_transactions
where kind = 'PAYMENT' and reference_id in (select id from shares);
