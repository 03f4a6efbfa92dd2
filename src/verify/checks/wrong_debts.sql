-- Lists wallets whose debt is not what the reversals of their account have not moved, less what was
-- written off.
select format('wallet %s', wallets.id) as "subject!",
    format('owes %s points; its reversals left %s, of which %s were written off', debt, sums.points,
        written_off.points) as "sentence!"
from wallets
cross join lateral (
    select coalesce(sum(charge_reversals.points - moved + forgone), 0) as points
    from charges
    join charge_reversals on charge_id = charges.id
    where charges.account_id = wallets.account_id
) sums
cross join lateral (
    select coalesce(sum(debt_write_offs.points), 0) as points
    from debt_write_offs
    where wallet_id = wallets.id
) written_off
where debt <> sums.points - written_off.points
limit $1
