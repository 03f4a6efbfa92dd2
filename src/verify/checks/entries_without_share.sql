-- Lists entries of a share that does not exist: no share explains these points.
select 'point transaction ' || id as "subject!",
    format('is a %s of a share %s that does not exist',
        kind, coalesce(reference_id::text, '(none)')) as "sentence!"
from point_transactions
where kind like 'SHARE%'
    and not exists (select from shares where shares.id = reference_id)
limit $1
