-- Lists seats of coming performances that are not what the plan of their venue says, and places of
-- companions whose seat beside them is no wheelchair place. A performance that was moved after its start is
-- left out: what is over keeps its kinds, and what the plan said at that moment is not kept.
select 'seat ' || c.id as "subject!",
    case when s.kind = 'COMPANION' and w.kind is distinct from 'WHEELCHAIR'
        then format('is the place of a companion of seat %s, which is no wheelchair place', w.id)
        else format('is %s of seat %s at the performance, and %s of seat %s in the plan',
            c.kind, c.wheelchair_seat_id, s.kind, w.id) end as "sentence!"
from schedule_seats c
join schedules d on d.id = c.schedule_id
join seats s on s.id = c.seat_id
left join seats w on w.venue_id = s.venue_id and w.section = s.section
    and w.row_label = s.row_label and w.number = s.companion_of
where d.starts_at > clock_timestamp()
  and not exists (
    select from audit_log
    where subject_id = d.id::text and act = 'schedule-edited'
      and (jsonb_path_query_first(before, '$.**.starts_at') #>> '{}')::timestamptz <= acted_at
  )
  and ((c.kind, c.wheelchair_seat_id) is distinct from (s.kind, w.id)
       or s.kind = 'COMPANION' and w.kind is distinct from 'WHEELCHAIR')
limit $1
