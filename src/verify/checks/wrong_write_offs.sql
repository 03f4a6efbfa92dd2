-- Lists debts that were written off without an act of an administrator, or without an entry that
-- moves no points, and such entries without a write-off.
select 'write-off ' || coalesce(debt_write_offs.id, entry.reference_id) as "subject!",
    format('has %s, %s, and %s',
        case when debt_write_offs.id is null then 'no row'
            else debt_write_offs.points || ' points' end,
        case when entry.id is null then 'no entry' else 'an entry of ' || entry.amount end,
        case when act.id is null then 'no act' else 'the act ' || act.act end) as "sentence!"
from (select * from point_transactions where kind = 'WRITE_OFF') entry
full join debt_write_offs on debt_write_offs.id = entry.reference_id
    and debt_write_offs.wallet_id = entry.wallet_id
left join wallets on wallets.id = coalesce(debt_write_offs.wallet_id, entry.wallet_id)
left join audit_log act on act.id = coalesce(debt_write_offs.id, entry.reference_id)
    and act.act = 'debt-written-off' and act.subject_id = wallets.account_id::text
where debt_write_offs.id is null or entry.id is null or act.id is null
    or entry.amount <> 0 or entry.pending_change <> 0
limit $1
