-- Lists hand-overs still pending a minute after their end, the oldest first: a worker should have
-- expired them.
select 'hand-over ' || id as "subject!",
    format('is still PENDING, though it ended at %s', expires_at) as "sentence!"
from ticket_hand_overs
where status = 'PENDING' and expires_at < now() - interval '1 minute'
order by expires_at
limit $1
