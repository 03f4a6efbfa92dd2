-- Lists entries of points that were paid out, or came back from a payout, without that payout.
select 'point transaction ' || entry.id as "subject!",
    format('is a %s of %s for a payout %s that does not exist', kind, amount, reference_id)
        as "sentence!"
from point_transactions entry
where kind in ('PAYOUT', 'PAYOUT_RETURN')
    and not exists (select from payouts where payouts.id = entry.reference_id)
limit $1
