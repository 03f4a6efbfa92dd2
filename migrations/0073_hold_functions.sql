-- Holds in few conversations with the server, as payments are (0071): `lock_holds` locks everything in the order
-- of locks and returns what the decision reads, and `write_holds` writes what was decided.
--
-- A version before this one calls none of them.

-- Reads the terms on which each account of `_accounts` may hold seats of a performance, all at one moment, and
-- the wheelchair places among `_wheelchairs` that each has. It is `stable`, though it reads the clock, so that
-- the server plans it with the statement that calls it; its clock is the one of that statement.
create function hold_terms(_schedule uuid, _accounts uuid[], _wheelchairs bigint[]) returns table (
    account_id uuid, moment timestamptz, is_on_sale boolean, hold_ttl_secs integer, refund_until timestamptz,
    refund_percent integer, no_single_seats boolean, places_min integer, places_max integer,
    places_live bigint, cools_until timestamptz, kept_until timestamptz, wheelchairs bigint[], has_wish boolean
) language sql stable as $$
    select asked.account_id as account_id, moment.at as moment,
        (p.status = 'PUBLISHED' and s.cancelled_at is null and moment.at < p.off_sale_at and moment.at < s.starts_at
            and (p.on_sale_at <= moment.at or coalesce((
                select through_gate from queue_tokens
                where program_id = p.id and account_id = asked.account_id and status = 'ACTIVE'
                limit 1
            ), false))) as is_on_sale,
        p.hold_ttl_secs,
        s.starts_at - make_interval(hours => p.refund_until_hours) as refund_until,
        p.refund_percent, p.no_single_seats,
        p.places_per_order_min as places_min, p.places_per_account_max as places_max,
        (
            select coalesce(sum(i.quantity - i.returned), 0)
            from reservations r
            join reservation_items i on i.reservation_id = r.id and (i.live or i.awaits_return)
            where r.account_id = asked.account_id and r.program_id = p.id
              and r.status in ('HELD', 'CONFIRMED')
              and (r.status = 'CONFIRMED' or r.expires_at > moment.at)
        ) as places_live,
        case when p.unpaid_holds_max is not null then (
            select least(settled_at, expires_at) + make_interval(mins => p.cool_down_mins)
            from reservations
            where account_id = asked.account_id and program_id = p.id and wish_id is null
              and (status in ('EXPIRED', 'CANCELLED')
                   or (status = 'HELD' and expires_at <= moment.at))
              and not (buys_return and status = 'CANCELLED' and exists (
                  select from reservation_items i cross join lateral (
                      select settled_at from ticket_returns where id = i.return_id limit 1) t
                  where i.reservation_id = reservations.id
                    and t.settled_at <= reservations.settled_at offset 0))
            order by 1 desc
            limit 1 offset p.unpaid_holds_max - 1
        ) end as cools_until,
        coalesce(s.starts_at - make_interval(hours => s.kept_until_hours), s.starts_at)
            as kept_until,
        case when cardinality(_wheelchairs) > 0 then array(
            select w.seat_id
            from reservations r
            join reservation_items i on i.reservation_id = r.id and (i.live or i.awaits_return)
            join schedule_seats w on w.id = i.schedule_seat_id and w.seat_id = any(_wheelchairs)
            where r.account_id = asked.account_id and r.program_id = p.id
              and r.schedule_id = s.id and r.status in ('HELD', 'CONFIRMED')
              and (r.status = 'CONFIRMED' or r.expires_at > moment.at)
        ) end as wheelchairs,
        exists (
            select from (
                select program_id from wishes
                where account_id = asked.account_id and status = 'WAITING' offset 0
            ) own
            where program_id = p.id
        ) as has_wish
    from schedules s
    join programs p on p.id = s.program_id
    cross join (select clock_timestamp() as at) moment
    cross join unnest(_accounts) as asked (account_id)
    where s.id = _schedule
$$;

-- Locks what the holds of several requests for one performance need: the tokens of their accounts, then the
-- seats, or the zone. Waits for no token; for seats it waits with `_waits`, and for a zone always. Returns what it
-- has locked, the accounts whose token another transaction has locked (`held`), the answers that are kept
-- under the request keys of the others, and, last, the terms of these. With `_waits` it returns before it locks
-- seats or a zone if the token of the first account is held.
create function lock_holds(
    _program uuid, _schedule uuid, _accounts uuid[], _key_owners uuid[], _keys uuid[],
    _seats bigint[], _zones uuid[], _waits boolean,
    out tokens json, out held uuid[], out outcomes json, out seats json, out zones json, out terms json
) language plpgsql as $$
declare
    _owners uuid[];
    _held uuid[];
    _free uuid[];
    _locked bigint[];
    _wheelchairs bigint[];
begin
    select coalesce(json_agg(t), '[]'), coalesce(array_agg(t.account_id), '{}')
    from unnest(_accounts) as asked (account_id)
    cross join lateral (
        select id, program_id, account_id, status, queue_number, stay_ends_at, expires_at
        from queue_tokens
        where program_id = _program and account_id = asked.account_id and status in ('WAITING', 'ACTIVE')
        limit 1
        for no key update skip locked
    ) t
    into tokens, _owners;

    -- An account has no live token, or one that is locked here, or one that another transaction has locked.
    select coalesce(array_agg(asked.account_id), '{}')
    from unnest(_accounts) as asked (account_id)
    cross join lateral (
        select id from queue_tokens
        where program_id = _program and account_id = asked.account_id and status in ('WAITING', 'ACTIVE')
        limit 1
    ) live
    where asked.account_id <> all(_owners)
    into _held;
    held := _held;
    if _waits and _accounts[1] = any(_held) then
        return;
    end if;

    select coalesce(json_agg(k), '[]')
    from unnest(_key_owners, _keys) as asked (account_id, key)
    cross join lateral (
        select account_id, key, encode(fingerprint, 'hex') as fingerprint, outcome
        from idempotency_keys
        where account_id = asked.account_id and key = asked.key
        limit 1
    ) k
    where asked.account_id <> all(_held)
    into outcomes;

    if _waits then
        select coalesce(array_agg(seat.id), '{}')
        from (
            select id from schedule_seats
            where id = any(_seats) and schedule_id = _schedule
            order by id
            for no key update
        ) seat
        into _locked;
    else
        select coalesce(array_agg(seat.id), '{}')
        from (
            select id from schedule_seats
            where id = any(_seats) and schedule_id = _schedule
            order by id
            for no key update skip locked
        ) seat
        into _locked;
    end if;

    select coalesce(json_agg(s), '[]'), coalesce(array_agg(s.wheelchair_seat_id), '{}')
    from (
        select id, version, price,
            case when price_after <> price then 9223372036854775807 else price_version end as price_version,
            status, return_id, seat_id,
            case when return_id is not null then (
                select seller_id from ticket_returns where id = schedule_seats.return_id
            ) end as seller_id,
            kind, wheelchair_seat_id, hidden_at is not null as is_hidden
        from schedule_seats
        where id = any(_locked)
    ) s
    into seats, _wheelchairs;

    select coalesce(json_agg(z), '[]')
    from (
        select id, schedule_id, version, price, remaining, returned, hidden_at is not null as is_hidden
        from zones
        where id = any(_zones)
        order by id
        for no key update
    ) z
    into zones;

    select coalesce(array_agg(asked.account_id), '{}')
    from unnest(_accounts) as asked (account_id)
    where asked.account_id <> all(_held)
    into _free;

    select coalesce(json_agg(t), '[]')
    from hold_terms(_schedule, _free, array_remove(_wheelchairs, null)) t
    into terms;
end $$;

-- Writes holds of one performance, all on the same terms, with their items, and takes their seats and their
-- places of a zone; the uses of codes, which are locked; the ends of the stays that the holds extend; and last the
-- request keys. Writes the events too, only while an endpoint asks for them, and never for a rehearsal. The
-- caller compares the numbers of seats, zones and uses written. After a number that is too small nothing more is
-- written, and the caller rolls back.
create function write_holds(
    _schedule uuid, _program uuid, _expires_at timestamptz, _hold_ttl_secs integer, _refund_until timestamptz,
    _refund_percent integer, _places_max integer, _moment timestamptz, _kept_until timestamptz,
    _places_min integer,
    _ids uuid[], _accounts uuid[], _totals bigint[], _wishes uuid[], _buys_returns boolean[],
    _places integer[], _events uuid[],
    _items uuid[], _holds uuid[], _item_seats bigint[], _item_zones uuid[], _quantities integer[],
    _prices bigint[], _returns uuid[], _price_types uuid[], _ordinary_prices bigint[],
    _taken bigint[], _versions bigint[],
    _zone uuid, _zone_version bigint, _n_places integer, _n_returned integer,
    _coded uuid[], _codes uuid[], _discounts bigint[], _code_places integer[],
    _tokens uuid[], _untils timestamptz[],
    _key_owners uuid[], _keys uuid[], _fingerprints bytea[], _outcomes jsonb[],
    out n_seats bigint, out n_zones bigint, out n_uses bigint
) language plpgsql as $$
begin
    with held as (
        insert into reservations (id, account_id, schedule_id, program_id, total, expires_at, hold_ttl_secs,
            refund_until, refund_percent, places_max, created_at, kept_until, wish_id, buys_return, places_min,
            returns_at_price)
        -- Only an order whose places are all on return has fewer places than the program's minimum.
        select id, account_id, _schedule, _program, total, _expires_at, _hold_ttl_secs,
            _refund_until, _refund_percent, _places_max, _moment, _kept_until, wish_id, buys_return,
            least(_places_min, places), buys_return
        from unnest(_ids, _accounts, _totals, _wishes, _buys_returns, _places)
            h (id, account_id, total, wish_id, buys_return, places)
    ), items as (
        -- A place on return is its seller's until it is paid.
        insert into reservation_items (id, reservation_id, schedule_id, schedule_seat_id, zone_id, quantity,
            unit_price, price_type_id, ordinary_price, return_id, live, awaits_return)
        select id, reservation_id, _schedule, seat_id, zone_id, quantity, price, price_type_id, ordinary_price,
            return_id, return_id is null, return_id is not null
        from unnest(_items, _holds, _item_seats, _item_zones, _quantities, _prices,
                _returns, _price_types, _ordinary_prices)
            i (id, reservation_id, seat_id, zone_id, quantity, price, return_id, price_type_id, ordinary_price)
    ), seats as (
        update schedule_seats s
        set status = 'HELD', version = s.version + 1, changed_xid = pg_current_xact_id()
        from unnest(_taken, _versions) as locked (id, version)
        where s.id = locked.id and s.version = locked.version and is_free(s.status)
        returning s.id
    ), told as (
        -- Only while an endpoint asks for it, and never for a rehearsal.
        insert into domain_events (id, subject_id, kind, payload)
        select event_id, id, 'reservation.held', jsonb_build_object(
            'reservation_id', id, 'program_id', _program, 'schedule_id', _schedule,
            'places', (select sum(quantity) from unnest(_holds, _quantities) i (reservation_id, quantity)
                       where i.reservation_id = h.id),
            'total', total, 'expires_at', _expires_at, 'is_offer', wish_id is not null)
        from unnest(_ids, _totals, _wishes, _events) h (id, total, wish_id, event_id)
        where exists (
                select from webhook_endpoints
                where deleted_at is null and kinds @> array['reservation.held'])
            and not is_throwaway(_program)
    ), places as (
        update zones
        set remaining = remaining - _n_places, returned = returned - _n_returned, version = version + 1,
            changed_xid = pg_current_xact_id()
        where id = _zone and version = _zone_version and remaining >= _n_places
        returning id
    )
    select (select count(*) from seats), (select count(*) from places)
    into n_seats, n_zones;
    n_uses := 0;
    if n_seats <> cardinality(_taken) or n_zones <> num_nonnulls(_zone) then
        return;
    end if;

    if cardinality(_codes) > 0 then
        with locked as materialized (
            select id from sale_codes where id = any(_codes) order by id for no key update
        ), counted as (
            update sale_codes c
            set uses = c.uses + used.n, places = c.places + used.places
            from locked
            cross join lateral (
                select count(*)::integer as n, sum(places)::integer as places
                from unnest(_codes, _code_places) as u (id, places) where u.id = locked.id
            ) used
            where c.id = locked.id
        )
        update reservations r
        set sale_code_id = u.code_id, discount = u.discount, version = r.version + 1
        from unnest(_coded, _codes, _discounts) as u (id, code_id, discount)
        -- As they were inserted.
        cross join (select 0::bigint as version) locked
        where r.id = u.id and r.version = locked.version;
        get diagnostics n_uses = row_count;
    end if;

    update queue_tokens t
    set expires_at = greatest(t.expires_at, stay.until)
    from unnest(_tokens, _untils) as stay (id, until)
    where t.id = stay.id;

    insert into idempotency_keys (account_id, key, fingerprint, outcome)
    select account_id, key, fingerprint, outcome
    from unnest(_key_owners, _keys, _fingerprints, _outcomes)
        as kept (account_id, key, fingerprint, outcome);
end $$;
