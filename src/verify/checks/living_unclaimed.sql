-- Lists money that was kept back although its account was not deleted when it came.
select format('charge %s', charges.id) as "subject!",
    format('was kept back at %s, and its account %s', unclaimed_at,
        coalesce('was deleted at ' || deleted_at, 'is not deleted')) as "sentence!"
from charges
join accounts on accounts.id = account_id
where unclaimed_at is not null and coalesce(deleted_at > unclaimed_at, true)
limit $1
