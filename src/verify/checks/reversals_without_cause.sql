-- Lists entries that took points back, or gave them back, without a reversal.
select 'point transaction ' || entry.id as "subject!",
    format('is a %s of %s for a reversal %s that does not exist', kind, amount, reference_id)
        as "sentence!"
from point_transactions entry
where kind in ('REVERSAL', 'REINSTATEMENT')
    and not exists (select from charge_reversals where charge_reversals.id = entry.reference_id)
limit $1
