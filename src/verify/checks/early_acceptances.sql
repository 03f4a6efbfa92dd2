-- Lists transfers that were accepted before their start: the sender could still have taken them back.
select 'transfer ' || id as "subject!",
    format('was accepted at %s, before it started at %s', changed_at, starts_at) as "sentence!"
from transfers
join transfer_status_history on transfer_id = id
where transfer_status_history.status = 'ACCEPTED' and changed_at < starts_at
limit $1
