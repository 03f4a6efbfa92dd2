-- Lists entries of a transfer that does not exist: no request explains these points.
select 'point transaction ' || id as "subject!",
    format('is a %s of a transfer %s that does not exist',
        kind, coalesce(reference_id::text, '(none)')) as "sentence!"
from point_transactions
where kind like 'TRANSFER%'
    and not exists (select from transfers where transfers.id = reference_id)
limit $1
