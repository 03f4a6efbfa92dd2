-- Lists events about changes that did not happen: of reservations in another state, more than once of
-- one change, of tickets that were not bought or changed hands less often, of a rehearsal.
select 'event ' || e.id as "subject!",
    case
        when r.id is null then 'tells of a reservation that is not there'
        when is_throwaway(r.program_id) then 'tells of a rehearsal'
        when e.nth > 1 then format('tells a second time of %s', e.kind)
        else format('tells of %s, and the reservation is %s', e.kind, r.status)
    end as "sentence!"
from (
    select id, subject_id, kind, row_number() over (partition by subject_id, kind order by position) as nth
    from domain_events
    where kind like 'reservation.%'
) e
left join reservations r on r.id = e.subject_id
where r.id is null or is_throwaway(r.program_id) or e.nth > 1
    or not case e.kind
        when 'reservation.paid' then r.confirmed_at is not null
        when 'reservation.expired' then r.status = 'EXPIRED'
        when 'reservation.released' then r.status = 'CANCELLED'
        when 'reservation.refunded' then r.status = 'REFUNDED'
        when 'reservation.exchanged' then exists (select from exchanges where to_id = r.id)
        else true end
union all
select 'event ' || e.id,
    format('tells of %s number %s of ticket %s, which did not happen', e.kind, e.nth, e.subject_id)
from (
    select id, subject_id, kind, row_number() over (partition by subject_id, kind order by position) as nth
    from domain_events
    where kind in ('ticket.resold', 'ticket.refunded', 'ticket.handed-over')
) e
where e.nth > case e.kind
    when 'ticket.handed-over' then (select count(*) from ticket_holder_changes where ticket_id = e.subject_id)
    else (select count(*) from ticket_returns
          where ticket_id = e.subject_id and status = 'SOLD' and exchange_id is null
              and to_house = (e.kind = 'ticket.refunded')) end
limit $1
