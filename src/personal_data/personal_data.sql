-- Everything that is kept about the account $1, at most $2 rows of each list, the newest first.
-- One statement, so that all parts are of one moment. `offset 0` keeps a part from being read in the
-- order of the whole table.
select jsonb_build_object(
    'account', jsonb_build_object(
        'id', a.id, 'email', a.email, 'name', a.name, 'role', a.role, 'locale', a.locale,
        'created_at', a.created_at, 'email_confirmed_at', a.email_confirmed_at,
        'locked_at', a.locked_at, 'mail_locale', a.mail_locale,
        'mails_transfers', a.mails_transfers, 'mails_turn', a.mails_turn,
        'mails_letters', a.mails_letters,
        'second_factor_set_at', (select set_at from second_factors where account_id = a.id limit 1)),
    'wallet', (select jsonb_build_object('balance', balance, 'pending', pending, 'debt', debt)
        from wallets where account_id = a.id limit 1),
    'sessions', (select coalesce(jsonb_agg(part), '[]') from (
        select device, created_at, last_seen_at, expires_at from sessions
        where account_id = a.id order by created_at desc limit $2) part),
    'links', (select coalesce(jsonb_agg(part), '[]') from (
        select purpose, address, created_at, expires_at, used_at from account_tokens
        where account_id = a.id and created_at > '-infinity' order by created_at desc limit $2) part),
    'queue_tokens', (select coalesce(jsonb_agg(part), '[]') from (
        select t.program_id, p.title, t.queue_number, t.status, t.issued_at, t.admitted_at,
            t.ended_at, t.through_gate as by_access_gate,
            (select jsonb_build_object('asked_at', asked_at, 'ended_at', n.ended_at)
             from turn_notices n where n.token_id = t.id limit 1) as turn_notice
        from queue_tokens t
        cross join lateral (select title from programs where id = t.program_id limit 1) p
        where t.account_id = a.id order by t.issued_at desc limit $2) part),
    'draw_entries', (select coalesce(jsonb_agg(part), '[]') from (
        select e.id, e.program_id, p.title, e.entered_at
        from (select * from queue_draw_entries where account_id = a.id offset 0) e
        cross join lateral (select title from programs where id = e.program_id limit 1) p
        order by e.entered_at desc limit $2) part),
    'reservations', (select coalesce(jsonb_agg(part), '[]') from (
        select r.id, p.title, r.schedule_id, r.status, r.total, r.discount,
            (select word from sale_codes where id = r.sale_code_id) as code,
            r.created_at, r.expires_at, r.confirmed_at, r.settled_at,
            (select coalesce(jsonb_agg(jsonb_build_object(
                'seat_id', i.schedule_seat_id, 'zone_id', i.zone_id, 'quantity', i.quantity,
                'price', i.unit_price, 'price_type',
                (select name from price_types where id = i.price_type_id))), '[]')
             from reservation_items i where i.reservation_id = r.id) as items
        from reservations r
        cross join lateral (select title from programs where id = r.program_id limit 1) p
        where r.account_id = a.id order by r.id desc limit $2) part),
    'code_redemptions', (select coalesce(jsonb_agg(part), '[]') from (
        select c.program_id, c.word as code, c.section, c.gate_id, own.redeemed_at
        from (select * from code_redemptions where account_id = a.id offset 0) own
        cross join lateral (
            select program_id, word, section, gate_id from sale_codes where id = own.sale_code_id limit 1) c
        order by own.redeemed_at desc limit $2) part),
    'payments', (select coalesce(jsonb_agg(part), '[]') from (
        select id, reservation_id, amount, status, created_at from payments
        where account_id = a.id order by id desc limit $2) part),
    'receipts', (select coalesce(jsonb_agg(part), '[]') from (
        select number, edition, buyer, issued_at
        from (select * from receipts where account_id = a.id and edition > 0 offset 0) own
        order by number desc limit $2) part),
    'receipt_names', (select coalesce(jsonb_agg(part), '[]') from (
        select buyer, typed_at from receipt_names
        where account_id = a.id order by typed_at desc limit $2) part),
    'shares_paid', (select coalesce(jsonb_agg(part), '[]') from (
        select s.id, s.reservation_id, s.amount, s.status, s.withheld_at, s.settled_at,
            other.name as holder
        from (select * from shares where payer_id = a.id order by id desc limit $2) s
        cross join lateral (
            select account_id from reservations where id = s.reservation_id limit 1) r
        cross join lateral (select name from accounts where id = r.account_id limit 1) other
        order by s.id desc) part),
    'shares_made', (select coalesce(jsonb_agg(part), '[]') from (
        select s.id, s.reservation_id, s.amount, s.status, s.created_at, s.settled_at,
            payer.name as payer
        from (select id from reservations where account_id = a.id and is_shared
              order by id desc limit $2) r
        cross join lateral (select * from shares where reservation_id = r.id offset 0) s
        left join lateral (select name from accounts where id = s.payer_id limit 1) payer on true
        where s.code_hash is not null
        order by s.id desc limit $2) part),
    'tickets', (select coalesce(jsonb_agg(part), '[]') from (
        select id, code, status, created_at, used_at from tickets
        where account_id = a.id order by id desc limit $2) part),
    'returns', (select coalesce(jsonb_agg(part), '[]') from (
        select id, ticket_id, price, fee_percent, payout, status, to_house, exchange_id, created_at,
            wanted_back_at, settled_at
        from (select * from ticket_returns where seller_id = a.id offset 0) own
        order by id desc limit $2) part),
    'exchanges', (select coalesce(jsonb_agg(part), '[]') from (
        select id, program_id, from_id, to_id, fee, is_by_staff, status, created_at, settled_at,
            array(select ticket_id from exchanged_tickets where exchange_id = own.id offset 0) as tickets
        from (select * from exchanges where account_id = a.id offset 0) own
        order by id desc limit $2) part),
    'wishes', (select coalesce(jsonb_agg(part), '[]') from (
        select id, schedule_id, number, places, section, price_max, is_together, status, created_at,
            settled_at
        from wishes where account_id = a.id order by id desc limit $2) part),
    'hand_overs_sent', (select coalesce(jsonb_agg(part), '[]') from (
        select h.id, h.ticket_id, h.status, h.address, h.created_at, h.expires_at, h.settled_at,
            case when h.status = 'ACCEPTED' then other.name end as recipient
        from (select * from ticket_hand_overs where sender_id = a.id order by id desc limit $2) h
        left join lateral (select name from accounts where id = h.recipient_id limit 1) other on true
        order by h.id desc) part),
    'hand_overs_received', (select coalesce(jsonb_agg(part), '[]') from (
        select h.id, h.ticket_id, h.status, h.created_at, h.expires_at, h.settled_at,
            other.name as sender
        from (select * from ticket_hand_overs where recipient_id = a.id order by id desc limit $2) h
        cross join lateral (select name from accounts where id = h.sender_id limit 1) other
        order by h.id desc) part),
    'point_transactions', (select coalesce(jsonb_agg(part), '[]') from (
        select e.id, e.kind, e.amount, e.pending_change, e.balance_after, e.created_at
        from (select id from wallets where account_id = a.id limit 1) w
        cross join lateral (select * from point_transactions
            where wallet_id = w.id order by wallet_version desc limit $2) e) part),
    'debt_write_offs', (select coalesce(jsonb_agg(part), '[]') from (
        select d.id, d.points, d.created_at
        from (select id from wallets where account_id = a.id limit 1) w
        cross join lateral (select * from debt_write_offs where wallet_id = w.id offset 0) d
        order by d.id desc limit $2) part),
    'transfers_sent', (select coalesce(jsonb_agg(part), '[]') from (
        select t.id, t.amount, shown_transfer_status(t.status, t.starts_at, t.expires_at) as status,
            t.created_at, t.starts_at, t.expires_at, t.address, case when t.status = 'ACCEPTED'
                then (select name from accounts where id = t.receiver_id limit 1) end as receiver
        from transfers t
        where t.sender_id = a.id order by t.id desc limit $2) part),
    'transfers_received', (select coalesce(jsonb_agg(part), '[]') from (
        select t.id, t.amount, shown_transfer_status(t.status, t.starts_at, t.expires_at) as status,
            t.created_at, t.starts_at, t.expires_at, other.name as sender
        from transfers t
        cross join lateral (select name from accounts where id = t.sender_id limit 1) other
        where t.receiver_id = a.id order by t.id desc limit $2) part),
    'charges', (select coalesce(jsonb_agg(part), '[]') from (
        select id, points, amount_minor, currency, provider, status, reversed, created_at, settled_at
        from (select * from charges where account_id = a.id offset 0) own
        order by id desc limit $2) part),
    'payouts', (select coalesce(jsonb_agg(part), '[]') from (
        select p.id, p.status, p.points, p.amount_minor, own.currency, p.created_at, p.ended_at
        from (select * from charges where account_id = a.id offset 0) own
        cross join lateral (select * from payouts where charge_id = own.id offset 0) p
        order by p.id desc limit $2) part),
    'mails', (select coalesce(jsonb_agg(part), '[]') from (
        select kind, created_at, sent_at, failed_at
        from (select * from outbox where recipient = a.email offset 0) own
        order by id desc limit $2) part),
    'acts_of_staff', (select coalesce(jsonb_agg(part), '[]') from (
        select act, acted_at from audit_log
        where subject_id = a.id::text order by id desc limit $2) part)
) as "document!"
from accounts a
where a.id = $1
