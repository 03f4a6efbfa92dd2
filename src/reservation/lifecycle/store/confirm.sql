-- Marks locked holds as paid and their seats as sold. The caller compares the numbers of rows
-- written with the numbers of ids.
with paid as (
    update reservations r
    set status = 'CONFIRMED', settled_at = $4, confirmed_at = $4, version = r.version + 1
    from unnest($1::uuid[], $2::bigint[], $3::uuid[]) as locked (id, version, event_id)
    where r.id = locked.id and r.version = locked.version
    returning r.id, r.program_id, r.schedule_id, r.total, locked.event_id
), locked as materialized (
    select id from schedule_seats where id = any($5) order by id for no key update
), sold as (
    update schedule_seats s
    set status = 'RESERVED', version = s.version + 1, changed_xid = pg_current_xact_id()
    from locked
    where s.id = locked.id and s.status = 'HELD'
    returning s.id
), told as (
    -- Only while an endpoint asks for it, and never for a rehearsal.
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
select (select count(*) from paid) as "n_reservations!", (select count(*) from sold) as "n_seats!"
