-- Lists holds still held a minute after their end, the oldest first: their seats are not for sale
-- although a worker should have released them.
select 'reservation ' || id as "subject!",
    format('is still HELD, though it ended at %s', expires_at) as "sentence!"
from reservations
where status = 'HELD' and expires_at < now() - interval '1 minute'
order by expires_at
limit $1
