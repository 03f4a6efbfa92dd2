-- Lists stays that ran out while staff had stopped the clock.
select 'token ' || t.id as "subject!",
    format('ran out at %s, while the clock was stopped since %s', t.ended_at, s.stopped_at) as "sentence!"
from clock_stops s
join queue_tokens t on t.program_id = s.program_id and t.status = 'EXPIRED' and t.expires_at > s.stopped_at
    and t.expires_at <= t.ended_at
    and t.ended_at > s.stopped_at and t.ended_at < least(s.ended_at, s.stopped_at + interval '4 hours')
limit $1
