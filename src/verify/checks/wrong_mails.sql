-- Lists mails that are both sent and given up, and mails that keep a secret after their end.
select 'mail ' || id as "subject!",
    case when secret is null then 'is both sent and given up'
         else 'keeps its secret after it was sent or given up' end as "sentence!"
from outbox
where (sent_at is not null and failed_at is not null)
    or (secret is not null and (sent_at is not null or failed_at is not null))
limit $1
