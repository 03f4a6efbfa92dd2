-- Exchanges: tickets of an order that pay, at what was paid for them less a fee, for other places of the same show.
--
-- An exchange is begun with the tickets that are to be given, and is open until a hold of its account in the program is
-- paid with them. Nothing is locked by it: its tickets stay what they are, and are judged again by the transaction that
-- takes them. The holds that are made meanwhile may have as many places more as it has tickets (`hold_terms`), and name
-- it (`write_holds`); they are paid with its tickets as long as it is open.
--
-- A ticket that is taken leaves its order as one that is refunded alone does (0098): a return that the house has at
-- once, whose payout is its price less the fee.

create table exchanges (
    id uuid not null,
    account_id uuid not null,
    program_id uuid not null,
    -- Order of the tickets.
    from_id uuid not null,
    -- Order that was paid with them.
    to_id uuid,
    -- Whether staff make it, whatever the program asks of an exchange.
    is_by_staff boolean not null default false,
    -- Points that each ticket is worth less than what was paid for it; the most that it can be is its price.
    fee bigint not null,
    status text not null default 'OPEN',
    settled_at timestamptz,
    created_at timestamptz not null default clock_timestamp(),

    constraint exchanges_pkey primary key (id),
    constraint exchanges_account_id_fkey foreign key (account_id) references accounts (id),
    constraint exchanges_program_id_fkey foreign key (program_id) references programs (id),
    constraint exchanges_from_id_fkey foreign key (from_id) references reservations (id),
    constraint exchanges_to_id_fkey foreign key (to_id) references reservations (id),
    constraint exchanges_fee_range check (fee between 0 and 1000000000),
    constraint exchanges_status_known check (status in ('OPEN', 'DONE', 'ENDED')),
    constraint exchanges_done_has_its_order check ((status = 'DONE') = (to_id is not null)),
    constraint exchanges_settled_has_its_time check ((status = 'OPEN') = (settled_at is null))
);

create unique index exchanges_open_key on exchanges (account_id, program_id) where status = 'OPEN';
create index exchanges_account_id on exchanges (account_id);
create index exchanges_from_id on exchanges (from_id);
create unique index exchanges_to_id_key on exchanges (to_id) where to_id is not null;

create table exchanged_tickets (
    exchange_id uuid not null,
    ticket_id uuid not null,

    constraint exchanged_tickets_pkey primary key (exchange_id, ticket_id),
    constraint exchanged_tickets_exchange_id_fkey foreign key (exchange_id) references exchanges (id),
    constraint exchanged_tickets_ticket_id_fkey foreign key (ticket_id) references tickets (id)
);

create index exchanged_tickets_ticket_id on exchanged_tickets (ticket_id);

alter table ticket_returns
    -- Exchange in which the house has the place.
    add column exchange_id uuid,
    add constraint ticket_returns_exchange_id_fkey foreign key (exchange_id) references exchanges (id) not valid,
    add constraint ticket_returns_exchange_is_to_house check (exchange_id is null or to_house) not valid;
alter table ticket_returns validate constraint ticket_returns_exchange_id_fkey;
alter table ticket_returns validate constraint ticket_returns_exchange_is_to_house;
create index ticket_returns_exchange_id on ticket_returns (exchange_id) where exchange_id is not null;

-- What a program asks of an exchange: the fee of each ticket, and until how many hours before the start of the ticket's
-- performance it may be given; null: its tickets are exchanged by staff alone. An order keeps what its program asked.
alter table programs
    add column exchange_fee integer,
    add column exchange_until_hours integer not null default 24,
    add constraint programs_exchange_fee_range check (exchange_fee between 0 and 1000000000) not valid,
    add constraint programs_exchange_until_hours_range check (exchange_until_hours between 0 and 8760) not valid;
alter table programs validate constraint programs_exchange_fee_range;
alter table programs validate constraint programs_exchange_until_hours_range;

alter table reservations
    add column exchange_fee bigint,
    add column exchange_until_hours integer,
    -- Exchange that was open when the hold was made.
    add column exchange_id uuid,
    add constraint reservations_exchange_id_fkey foreign key (exchange_id) references exchanges (id) not valid;
alter table reservations validate constraint reservations_exchange_id_fkey;
create index reservations_exchange_id on reservations (exchange_id) where exchange_id is not null;

-- Returns the terms of holds as the function of 0101 did, and the tickets that each account is about to give.
drop function hold_terms(uuid, uuid[], bigint[]);
create function hold_terms(_schedule uuid, _accounts uuid[], _wheelchairs bigint[]) returns table (
    account_id uuid, moment timestamptz, is_on_sale boolean, hold_ttl_secs integer, refund_until timestamptz,
    refund_percent integer, no_single_seats boolean, places_min integer, places_max integer,
    places_live bigint, cools_until timestamptz, kept_until timestamptz, wheelchairs bigint[], has_wish boolean,
    exchanged bigint
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
              and (r.status = 'CONFIRMED' or r.expires_at > moment.at or not is_office_awake())
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
              and (r.status = 'CONFIRMED' or r.expires_at > moment.at or not is_office_awake())
        ) end as wheelchairs,
        exists (
            select from (
                select program_id from wishes
                where account_id = asked.account_id and status = 'WAITING' offset 0
            ) own
            where program_id = p.id
        ) as has_wish,
        (
            select count(*)
            from (
                select id from exchanges
                where account_id = asked.account_id and program_id = p.id and status = 'OPEN' offset 0
            ) open
            cross join lateral (
                select ticket_id from exchanged_tickets where exchange_id = open.id offset 0
            ) given
            cross join lateral (
                select status, account_id from tickets where id = given.ticket_id offset 0
            ) t
            where t.status = 'VALID' and t.account_id = asked.account_id
        ) as exchanged
    from schedules s
    join programs p on p.id = s.program_id
    cross join (select clock_timestamp() as at) moment
    cross join unnest(_accounts) as asked (account_id)
    where s.id = _schedule
$$;

-- Writes holds as the function of 0092 did, with what their program asks of an exchange, and with the exchange of their
-- account that is open.
create or replace function write_holds(
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
declare
    _steps jsonb;
    _fee bigint;
    _until_hours integer;
begin
    select exchange_fee, exchange_until_hours from programs where id = _program into _fee, _until_hours;
    select freeze_refund_terms(p.refund_terms, s.starts_at, v.time_zone)
    from schedules s
    join programs p on p.id = s.program_id
    join venues v on v.id = s.venue_id
    where s.id = _schedule and p.refund_terms is not null
    into _steps;
    if _steps is not null then
        select coalesce(max(first.moment), _moment), coalesce(max(first.percent), 0)
        from (
            select (step->>'until')::timestamptz as moment, (step->>'percent')::integer as percent,
                (step->>'fee')::bigint as fee
            from jsonb_array_elements(_steps) with ordinality as frozen (step, place)
            where not step ? 'within_hours' and (step->>'until')::timestamptz > _moment
            order by place
            limit 1
        ) first
        where first.fee = 0
        into _refund_until, _refund_percent;
    end if;

    with held as (
        insert into reservations (id, account_id, schedule_id, program_id, total, expires_at, hold_ttl_secs,
            refund_until, refund_percent, places_max, created_at, kept_until, wish_id, buys_return, places_min,
            returns_at_price, refund_steps, exchange_fee, exchange_until_hours, exchange_id)
        -- Only an order whose places are all on return has fewer places than the program's minimum.
        select id, account_id, _schedule, _program, total, _expires_at, _hold_ttl_secs,
            _refund_until, _refund_percent, _places_max, _moment, _kept_until, wish_id, buys_return,
            least(_places_min, places), buys_return, _steps, _fee, case when _fee is not null then _until_hours end,
            case when wish_id is null then (
                select id from exchanges
                where account_id = h.account_id and program_id = _program and status = 'OPEN'
            ) end
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

-- Locks payments as the function of 0071 did, and says of a hold which exchange it was made in.
create or replace function lock_payments(
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
            r.is_shared, r.buys_return, r.exchange_id, i.id as item_id, i.schedule_seat_id, i.zone_id, i.quantity,
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
