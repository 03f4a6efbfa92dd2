-- Refunds in up to six steps, as halls write them, beside the one line of hours and percent.
--
-- `programs.refund_terms` has the steps of a program; null: the one line of `refund_until_hours` and `refund_percent`.
-- A step says until when it holds, as hours before the beginning, as days before it at the same time of day, or as
-- a time of day so many days before, on the clock of the venue; and what is given back until then: a percentage, less
-- a fee that each order pays once. `free_within_hours` and `free_until_days` give everything back for some hours after the
-- payment, until some days before the beginning.
--
-- `reservations.refund_steps` has them as moments, from the hold on, so an edit of the program changes no order; null:
-- the one line of `refund_until` and `refund_percent`, which every order made before has. A step keeps the rule and the time
-- zone that it was made of, because a performance that moves takes its steps with it: each is worth the later of what
-- was agreed and what it would be for a start that people were told of, as `refund_deadline()` does for the one line.
--
-- A version before this one makes holds with these steps too, because it calls the same `write_holds`. It refunds by
-- `refund_until` and `refund_percent`, which have the step in force when the hold was made: what it gives is what was
-- agreed, and after that step, or where a step has a fee, it refuses a refund that the next version gives. Where it
-- edits a program's one line, the steps end with that; any other edit keeps them.

-- Whether terms are whole: at most six steps, none of which gives more than the one before it.
create function are_refund_terms(terms jsonb) returns boolean language sql immutable as $$
    select jsonb_typeof(terms->'steps') = 'array'
        and jsonb_array_length(terms->'steps') <= 6
        and (terms ? 'free_within_hours') = (terms ? 'free_until_days')
        and (not terms ? 'free_within_hours' or (
            (terms->>'free_within_hours')::integer between 1 and 8760
            and (terms->>'free_until_days')::integer between 0 and 365))
        and not exists (
            select from (
                select step, (step->>'percent')::integer as percent, (step->>'fee')::bigint as fee,
                    lag((step->>'percent')::integer) over steps as percent_before,
                    lag((step->>'fee')::bigint) over steps as fee_before
                from jsonb_array_elements(terms->'steps') with ordinality as listed (step, place)
                window steps as (order by place)
            ) s
            where percent is null or percent not between 0 and 100 or percent > percent_before
                or fee is null or fee not between 0 and 1000000000 or fee < fee_before
                or (step ? 'hours') = (step ? 'days') or (step ? 'at' and not step ? 'days')
                or (step->>'hours')::integer not between 0 and 8760
                or (step->>'days')::integer not between 0 and 365
                or step ? 'at' and (step->>'at')::time is null)
$$;

-- The moment of a step before a start, on the clock of a time zone, and never after the start. Of an hour that the
-- clock shows twice it is the second, and one that it leaves out is an hour later.
create function refund_moment(step jsonb, starts_at timestamptz, zone text) returns timestamptz language sql stable as $$
    select least(starts_at, case
        when step ? 'hours' then starts_at - make_interval(hours => (step->>'hours')::integer)
        when step ? 'at' then
            ((starts_at at time zone zone)::date - (step->>'days')::integer + (step->>'at')::time) at time zone zone
        else ((starts_at at time zone zone) - make_interval(days => (step->>'days')::integer)) at time zone zone
    end)
$$;

-- The steps of terms as moments before a start. A step that ends no later than one before it is left out: which of an
-- hour and a time of day comes first depends on the hour at which a performance begins.
create function freeze_refund_terms(terms jsonb, starts_at timestamptz, zone text) returns jsonb language sql stable as $$
    with steps as (
        select 0 as place, jsonb_build_object('days', terms->'free_until_days', 'percent', 100, 'fee', 0,
            'within_hours', terms->'free_within_hours') as step
        where terms ? 'free_within_hours'
        union all
        select place, step from jsonb_array_elements(terms->'steps') with ordinality as listed (step, place)
    ), moments as (
        select place, step, refund_moment(step, starts_at, zone) as until from steps
    ), ordered as (
        select place, step, until, max(until) filter (where place > 0) over (
            order by place rows between unbounded preceding and 1 preceding) as until_before
        from moments
    )
    select coalesce(jsonb_agg(step || jsonb_build_object('until', until, 'zone', zone) order by place), '[]')
    from ordered
    where place = 0 or until_before is null or until > until_before
$$;

-- The steps that an order has at `as_of`, each with `until`, `percent` and `fee`, after the moves of its performance
-- until then; `infinity` for now. Hours after the payment count from the hold until it is paid.
create function refund_steps(
    _schedule uuid, _reserved_at timestamptz, _paid_at timestamptz, _until timestamptz, _percent integer,
    _frozen jsonb, _as_of timestamptz
) returns jsonb language sql stable as $$
    select case
        when _frozen is null then jsonb_build_array(jsonb_build_object(
            'until', refund_deadline(_schedule, _until, _reserved_at), 'percent', _percent, 'fee', 0))
        else (
            with start as (
                select coalesce((
                    select was_at from schedule_moves
                    where schedule_id = _schedule and moved_at > _as_of and was_at is not null
                    order by moved_at limit 1
                ), starts_at) as starts_at
                from schedules where id = _schedule
            ), starts as (
                select starts_at from start
                union
                select is_at from schedule_moves
                where schedule_id = _schedule and is_at is not null and moved_at <= _as_of
                    and moved_at > _reserved_at - interval '1 minute'
            ), moments as (
                select place, step, least(
                    (select starts_at from start),
                    greatest((step->>'until')::timestamptz,
                        (select max(refund_moment(step, starts_at, step->>'zone')) from starts))) as latest
                from jsonb_array_elements(_frozen) with ordinality as frozen (step, place)
            )
            select coalesce(jsonb_agg(jsonb_build_object('until', least(latest, coalesce(_paid_at, _reserved_at)
                    + make_interval(hours => (step->>'within_hours')::integer)), 'percent', step->'percent',
                'fee', step->'fee', 'within_hours', step->'within_hours', 'latest', latest) order by place), '[]')
            from moments
        )
    end
$$;

alter table programs add column refund_terms jsonb;
alter table programs add constraint programs_refund_terms_whole
    check (refund_terms is null or are_refund_terms(refund_terms)) not valid;
alter table programs validate constraint programs_refund_terms_whole;
alter table reservations add column refund_steps jsonb;

-- Ends the steps of a program whose one line was edited by a version that does not know them.
create function end_refund_terms() returns trigger language plpgsql as $$
begin
    new.refund_terms := null;
    return new;
end $$;

create trigger programs_line_ends_refund_terms before update on programs
    for each row when (
        new.refund_terms = old.refund_terms
        and (new.refund_until_hours, new.refund_percent) is distinct from (old.refund_until_hours, old.refund_percent))
    execute function end_refund_terms();

-- Writes holds as the function of 0073 did, and freezes the steps of the program with each of them, as it is at this
-- moment. Where a program has steps, `refund_until` and `refund_percent` are the step in force that is neither free nor
-- has a fee; without one, nothing from this moment on.
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
begin
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
            returns_at_price, refund_steps)
        -- Only an order whose places are all on return has fewer places than the program's minimum.
        select id, account_id, _schedule, _program, total, _expires_at, _hold_ttl_secs,
            _refund_until, _refund_percent, _places_max, _moment, _kept_until, wish_id, buys_return,
            least(_places_min, places), buys_return, _steps
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
