-- Lists returns still open a minute after their performance began, the oldest first: a worker should
-- have ended them.
select 'return ' || returns.id as "subject!",
    format('is still OPEN, though the performance began at %s', starts_at) as "sentence!"
from ticket_returns returns join schedules on schedules.id = schedule_id
where status = 'OPEN' and starts_at < now() - interval '1 minute'
order by starts_at
limit $1
