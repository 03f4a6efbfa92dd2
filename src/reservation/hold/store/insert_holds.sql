-- Inserts holds with their items, and takes their seats and their places of a zone. The caller
-- compares the numbers of seats and zones written with the numbers locked.
with held as (
    insert into reservations (id, account_id, schedule_id, program_id, total, expires_at, hold_ttl_secs,
        refund_until, refund_percent, places_max, created_at, kept_until, wish_id, buys_return, places_min,
        returns_at_price)
    -- Only an order whose places are all on return has fewer places than the program's minimum.
    select id, account_id, $1, $2, total, $3, $4, $5, $6, $7, $8, $23, wish_id, buys_return,
        least($31, places), buys_return
    from unnest($9::uuid[], $10::uuid[], $11::bigint[], $24::uuid[], $25::boolean[], $32::integer[])
        h (id, account_id, total, wish_id, buys_return, places)
), items as (
    -- A place on return is its seller's until it is paid.
    insert into reservation_items (id, reservation_id, schedule_id, schedule_seat_id, zone_id, quantity,
        unit_price, price_type_id, ordinary_price, return_id, live, awaits_return)
    select id, reservation_id, $1, seat_id, zone_id, quantity, price, price_type_id, ordinary_price,
        return_id, return_id is null, return_id is not null
    from unnest($12::uuid[], $13::uuid[], $14::bigint[], $15::uuid[], $16::integer[], $17::bigint[],
            $26::uuid[], $28::uuid[], $29::bigint[])
        i (id, reservation_id, seat_id, zone_id, quantity, price, return_id, price_type_id, ordinary_price)
), seats as (
    update schedule_seats s
    set status = 'HELD', version = s.version + 1, changed_xid = pg_current_xact_id()
    from unnest($18::bigint[], $19::bigint[]) as locked (id, version)
    where s.id = locked.id and s.version = locked.version and is_free(s.status)
    returning s.id
), told as (
    -- Only while an endpoint asks for it, and never for a rehearsal.
    insert into domain_events (id, subject_id, kind, payload)
    select event_id, id, 'reservation.held', jsonb_build_object(
        'reservation_id', id, 'program_id', $2::uuid, 'schedule_id', $1::uuid,
        'places', (select sum(quantity) from unnest($13::uuid[], $16::integer[]) i (reservation_id, quantity)
                   where i.reservation_id = h.id),
        'total', total, 'expires_at', $3::timestamptz, 'is_offer', wish_id is not null)
    from unnest($9::uuid[], $11::bigint[], $24::uuid[], $30::uuid[]) h (id, total, wish_id, event_id)
    where exists (
            select from webhook_endpoints
            where deleted_at is null and kinds @> array['reservation.held'])
        and not is_throwaway($2::uuid)
), places as (
    update zones
    set remaining = remaining - $22, returned = returned - $27, version = version + 1,
        changed_xid = pg_current_xact_id()
    where id = $20 and version = $21 and remaining >= $22
    returning id
)
select (select count(*) from seats) as "n_seats!", (select count(*) from places) as "n_zones!"
