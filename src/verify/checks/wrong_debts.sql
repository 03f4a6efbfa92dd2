-- Lists wallets whose debt is not what the reversals of their account have not moved.
select format('wallet %s', wallets.id) as "subject!",
    format('owes %s points, and its reversals left %s', debt, sums.points) as "sentence!"
from wallets
cross join lateral (
    select coalesce(sum(charge_reversals.points - moved), 0) as points
    from charges
    join charge_reversals on charge_id = charges.id
    where charges.account_id = wallets.account_id
) sums
where debt <> sums.points
limit $1
