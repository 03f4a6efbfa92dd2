-- Lists wishes that still wait a minute after their performance began: a worker should have ended
-- their list.
select 'wish ' || wishes.id as "subject!",
    format('still waits, though its performance began at %s', starts_at) as "sentence!"
from wishes
join schedules on schedules.id = schedule_id
where wishes.status = 'WAITING' and starts_at < now() - interval '1 minute'
order by starts_at, wishes.id
limit $1
