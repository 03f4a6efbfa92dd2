-- Lists holds that the clock ended while staff had stopped it, unless their performance had begun.
select 'reservation ' || r.id as "subject!",
    format('ended at %s, while the clock was stopped since %s', r.settled_at, s.stopped_at) as "sentence!"
from clock_stops s
join reservations r on r.program_id = s.program_id and r.status = 'EXPIRED' and r.expires_at > s.stopped_at
    and r.settled_at > s.stopped_at and r.settled_at < least(s.ended_at, s.stopped_at + interval '4 hours')
join schedules d on d.id = r.schedule_id and d.starts_at > r.settled_at
limit $1
