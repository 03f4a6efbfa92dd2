-- Payments in few conversations with the server.
--
-- A payment was sixteen statements one after the other, each waiting for the one before. Where PostgreSQL is
-- another machine, these waits are most of a payment, and the rows stay locked for all of them. Two functions
-- take their place: `lock_payments` locks everything in the order of locks and returns what the decision
-- reads, and `write_payments` writes what was decided. The decision is the program's, between the two.
--
-- They are functions rather than long statements because each of their statements sees what was committed
-- before it: what was locked is read, with the clock, by a statement after the lock, as it was before. They
-- also keep the order in which rows are locked and written, which the parts of one statement do not have.
-- Arguments and variables begin with `_`, so that none has the name of a column.
--
-- A version before this one calls none of them.

-- Marks locked holds as paid at the time `_at` and their seats as sold. The caller compares the numbers of
-- rows written with the numbers of ids. Writes the events too, only while an endpoint asks for them, and never
-- for a rehearsal.
create function confirm_reservations(
    _ids uuid[], _versions bigint[], _events uuid[], _at timestamptz, _seats bigint[],
    out n_reservations bigint, out n_seats bigint
) language plpgsql as $$
begin
    with paid as (
        update reservations r
        set status = 'CONFIRMED', settled_at = _at, confirmed_at = _at, version = r.version + 1
        from unnest(_ids, _versions, _events) as locked (id, version, event_id)
        where r.id = locked.id and r.version = locked.version
        returning r.id, r.program_id, r.schedule_id, r.total, locked.event_id
    ), locked as materialized (
        select id from schedule_seats where id = any(_seats) order by id for no key update
    ), sold as (
        update schedule_seats s
        set status = 'RESERVED', version = s.version + 1, changed_xid = pg_current_xact_id()
        from locked
        where s.id = locked.id and s.status = 'HELD'
        returning s.id
    ), told as (
        insert into domain_events (id, subject_id, kind, payload)
        select event_id, paid.id, 'reservation.paid', jsonb_build_object(
            'reservation_id', paid.id, 'program_id', program_id, 'schedule_id', schedule_id,
            'places', (select sum(quantity) from reservation_items where reservation_id = paid.id),
            'total', total)
        from paid
        where exists (
                select from webhook_endpoints
                where deleted_at is null and kinds @> array['reservation.paid'])
            and not is_throwaway(program_id)
    )
    select (select count(*) from paid), (select count(*) from sold)
    into n_reservations, n_seats;
end $$;

-- Writes locked wallets, their entries and their house entries; the other side of all of them is the house.
-- The caller compares the number of entries written: a wallet is left out if it has another version than the
-- one before its first entry.
create function move_points(
    _ids uuid[], _wallets uuid[], _versions bigint[], _amounts bigint[], _balances bigint[],
    _references uuid[], _kinds text[],
    out n_entries bigint
) language plpgsql as $$
begin
    with entries as materialized (
        select * from unnest(_ids, _wallets, _versions, _amounts, _balances, _references, _kinds)
            as entry (id, wallet_id, version, amount, balance, reference_id, kind)
    ), locked as materialized (
        select wallet_id, min(version) - 1 as version, count(*) as n, sum(amount)::bigint as amount
        from entries
        group by wallet_id
    ), moved as (
        update wallets w
        set balance = w.balance + locked.amount, version = w.version + locked.n
        from locked
        where w.id = locked.wallet_id and w.version = locked.version
        returning w.id
    ), house as (
        insert into house_entries (wallet_id, wallet_version, amount)
        select wallet_id, version, -amount from entries where wallet_id in (select id from moved)
    )
    insert into point_transactions
        (id, wallet_id, wallet_version, kind, amount, pending_change, balance_after, reference_id)
    select id, wallet_id, version, kind, amount, 0, balance, reference_id
    from entries
    where wallet_id in (select id from moved);
    get diagnostics n_entries = row_count;
end $$;

-- Writes mails to accounts, with address and language as the accounts have them. Skips mails whose event was
-- mailed already, mails to deleted accounts, and mails of a topic that the account declined.
create function write_mails(
    _ids uuid[], _accounts uuid[], _kinds text[], _payloads jsonb[], _orders text[], _events text[],
    _topics text[], _kept_secs double precision
) returns void language plpgsql as $$
begin
    insert into outbox
        (id, kind, payload, order_key, dedupe_key, recipient, locale, expires_at, declinable_by)
    select new.id, new.kind, new.payload, new.order_key, new.dedupe_key, a.email, a.locale,
        clock_timestamp() + make_interval(secs => _kept_secs),
        case when new.topic is not null then new.account_id end
    from unnest(_ids, _accounts, _kinds, _payloads, _orders, _events, _topics)
        as new (id, account_id, kind, payload, order_key, dedupe_key, topic)
    cross join lateral (
        select email, coalesce(mail_locale, locale) as locale from accounts
        where accounts.id = new.account_id and deleted_at is null and case new.topic
            when 'TRANSFERS' then mails_transfers
            when 'TURN' then mails_turn
            else true end
        limit 1
    ) a
    on conflict (dedupe_key) do nothing;
end $$;

-- Locks what the payments of several holds need, and waits for no row: tokens, then reservations, then
-- wallets. Returns what it has locked, and the answers that are kept under the request keys. Left out are
-- reservations of another account than the payer beside them, and of accounts whose token another transaction
-- has locked. The clock is read once the reservations are locked.
create function lock_payments(
    _reservations uuid[], _payers uuid[], _key_owners uuid[], _keys uuid[],
    out tokens json, out holds json, out outcomes json, out wallets json
) language plpgsql as $$
declare
    _owned uuid[];
    _programs uuid[];
    _owners uuid[];
    _tokens uuid[];
    _free uuid[];
    _locked uuid[];
begin
    select array_agg(r.id), array_agg(r.program_id), array_agg(r.account_id)
    from unnest(_reservations, _payers) as asked (id, account_id)
    cross join lateral (
        select id, program_id, account_id from reservations
        where id = asked.id and account_id = asked.account_id
        limit 1
    ) r
    into _owned, _programs, _owners;

    select coalesce(json_agg(t), '[]'), array_agg(t.id)
    from (
        select distinct program_id, account_id
        from unnest(_programs, _owners) as owners (program_id, account_id)
    ) asked
    cross join lateral (
        select id, program_id, account_id, status, queue_number, stay_ends_at, expires_at
        from queue_tokens
        where program_id = asked.program_id and account_id = asked.account_id
            and status in ('WAITING', 'ACTIVE')
        limit 1
        for no key update skip locked
    ) t
    into tokens, _tokens;

    -- An account has no live token, or one that is locked here, or one that another transaction has locked.
    select array_agg(owned.id)
    from unnest(_owned, _programs, _owners) as owned (id, program_id, account_id)
    left join lateral (
        select id from queue_tokens
        where program_id = owned.program_id and account_id = owned.account_id
            and status in ('WAITING', 'ACTIVE')
        limit 1
    ) live on true
    where live.id is null or live.id = any(_tokens)
    into _free;

    select array_agg(free.id)
    from (
        select id from reservations
        where id = any(_free)
        order by id
        for no key update skip locked
    ) free
    into _locked;

    select coalesce(json_agg(h), '[]')
    from (
        select r.id as reservation_id, r.account_id, r.version, r.program_id, r.schedule_id, r.status,
            r.total, r.discount, r.expires_at, r.renewed_at, r.wish_id, c.now as locked_at,
            r.expires_at <= c.now as is_lapsed, r.refund_percent,
            case when d.cancelled_at is null then p.status else 'CANCELLED' end as program_status,
            r.is_shared, r.buys_return, i.id as item_id, i.schedule_seat_id, i.zone_id, i.quantity,
            i.unit_price, i.return_id, (i.return_id is not null or i.was_on_return) as was_on_return,
            i.returned
        from reservations r
        cross join (select clock_timestamp() as now offset 0) c
        join programs p on p.id = r.program_id
        join schedules d on d.id = r.schedule_id
        join reservation_items i on i.reservation_id = r.id
        where r.id = any(_locked)
        order by r.id, i.schedule_seat_id, i.id
    ) h
    into holds;

    select coalesce(json_agg(k), '[]')
    from unnest(_key_owners, _keys) as asked (account_id, key)
    cross join lateral (
        select account_id, key, encode(fingerprint, 'hex') as fingerprint, outcome
        from idempotency_keys
        where account_id = asked.account_id and key = asked.key
        limit 1
    ) k
    into outcomes;

    select coalesce(json_agg(w), '[]')
    from (
        select id as wallet_id, account_id, balance, pending, debt, closed_at is not null as is_closed,
            version
        from wallets
        where account_id = any(_payers)
        order by id
        for no key update skip locked
    ) w
    into wallets;
end $$;

-- Writes payments of holds that `lock_payments` has locked: the payments, the reservations and their seats,
-- the tickets, the wallets, the end of the stays in `_stays` whose accounts have no other hold to pay, the
-- mails, and last the request keys. Returns how much was written and which stays have ended. After a number
-- that is too small nothing more is written, and the caller rolls back.
create function write_payments(
    _ids uuid[], _reservations uuid[], _accounts uuid[], _amounts bigint[],
    _versions bigint[], _events uuid[], _at timestamptz, _seats bigint[],
    _tickets uuid[], _ticket_items uuid[], _ticket_numbers integer[], _ticket_quantities integer[],
    _ticket_codes text[], _ticket_holders uuid[],
    _entries uuid[], _wallets uuid[], _wallet_versions bigint[], _changes bigint[], _balances bigint[],
    _references uuid[], _entry_kinds text[],
    _stays uuid[],
    _mails uuid[], _recipients uuid[], _mail_kinds text[], _payloads jsonb[], _orders text[],
    _mail_events text[], _topics text[], _kept_secs double precision,
    _key_owners uuid[], _keys uuid[], _fingerprints bytea[], _outcomes jsonb[],
    out n_reservations bigint, out n_seats bigint, out n_entries bigint, out ended uuid[]
) language plpgsql as $$
declare
    _ended uuid[];
begin
    insert into payments (id, reservation_id, account_id, amount, status, number)
    select id, reservation_id, account_id, amount, 'COMPLETED', 1
    from unnest(_ids, _reservations, _accounts, _amounts) as new (id, reservation_id, account_id, amount);

    select c.n_reservations, c.n_seats
    from confirm_reservations(_reservations, _versions, _events, _at, _seats) c
    into n_reservations, n_seats;
    if n_reservations <> cardinality(_ids) or n_seats <> cardinality(_seats) then
        return;
    end if;

    insert into tickets (id, reservation_item_id, number, item_quantity, account_id, code)
    select id, item_id, number, quantity, account_id, code
    from unnest(_tickets, _ticket_items, _ticket_numbers, _ticket_quantities, _ticket_codes, _ticket_holders)
        as issued (id, item_id, number, quantity, code, account_id);

    select m.n_entries
    from move_points(
        _entries, _wallets, _wallet_versions, _changes, _balances, _references, _entry_kinds) m
    into n_entries;
    if n_entries <> cardinality(_entries) then
        return;
    end if;

    -- An account with further holds to pay stays admitted.
    select coalesce(array_agg(stay.id), '{}')
    from unnest(_stays) as ending (id)
    cross join lateral (
        select id, program_id, account_id from queue_tokens where id = ending.id limit 1
    ) stay
    left join lateral (
        select id from reservations
        where account_id = stay.account_id and program_id = stay.program_id
            and status = 'HELD' and expires_at > clock_timestamp()
        limit 1
    ) held on true
    where held.id is null
    into _ended;
    ended := _ended;
    update queue_tokens set status = 'COMPLETED', ended_at = clock_timestamp() where id = any(_ended);

    perform write_mails(
        _mails, _recipients, _mail_kinds, _payloads, _orders, _mail_events, _topics, _kept_secs);

    insert into idempotency_keys (account_id, key, fingerprint, outcome)
    select account_id, key, fingerprint, outcome
    from unnest(_key_owners, _keys, _fingerprints, _outcomes)
        as kept (account_id, key, fingerprint, outcome);
end $$;
