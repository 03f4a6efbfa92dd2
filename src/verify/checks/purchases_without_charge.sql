-- Lists entries of points bought with money whose charge does not exist: no payment explains them.
select 'point transaction ' || entry.id as "subject!",
    format('is a purchase of %s by a charge %s that does not exist', amount, reference_id)
        as "sentence!"
from point_transactions entry
where kind = 'PURCHASE'
    and not exists (select from charges where charges.id = entry.reference_id)
limit $1
