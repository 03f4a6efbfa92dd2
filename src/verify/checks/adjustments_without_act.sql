-- Lists adjustments without their entry in the audit log: no administrator is recorded for these
-- points.
select 'point transaction ' || entry.id as "subject!",
    format('is an adjustment of %s for an act %s that is not in the log',
        amount, reference_id) as "sentence!"
from point_transactions entry
join wallets on wallets.id = wallet_id
where kind = 'ADJUSTMENT'
    and not exists (select from audit_log
                    where audit_log.id = reference_id and act = 'points-adjusted'
                        and subject_id = wallets.account_id::text)
limit $1
