-- Lists admissions beyond the capacity by the counts recorded with them. Admissions by staff may
-- exceed it.
select 'queue token ' || id as "subject!",
    format('was admitted at %s as number %s of %s inside', admitted_at,
        coalesce(inside_after::text, 'unknown'), capacity_then) as "sentence!"
from queue_tokens
where admitted_at is not null and let_in_by is null and capacity_then is not null
    and coalesce(inside_after > capacity_then, true)
limit $1
