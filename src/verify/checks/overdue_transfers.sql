-- Lists transfers still open a minute after their end, the oldest first: their points stay withheld
-- although a worker should have released them.
select 'transfer ' || id as "subject!",
    format('is still PENDING, though it ended at %s', expires_at) as "sentence!"
from transfers
where status = 'PENDING' and expires_at < now() - interval '1 minute'
order by expires_at
limit $1
