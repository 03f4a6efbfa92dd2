-- Lists reversals whose entry is missing or of other points, and charges whose reversed points are
-- not the sum of their reversals.
select format('reversal %s', reversal.id) as "subject!",
    format('moved %s points, and the ledger %s', moved, -coalesce(entries.points, 0)) as "sentence!"
from charge_reversals reversal
join charges on charges.id = charge_id
cross join lateral (
    select sum(amount) as points from point_transactions
    join wallets on wallets.id = wallet_id
    where reference_id = reversal.id and kind in ('REVERSAL', 'REINSTATEMENT')
        and wallets.account_id = charges.account_id
) entries
where -coalesce(entries.points, 0) <> moved
union all
select format('charge %s', charges.id),
    format('has %s reversed points, and reversals of %s', reversed, sums.points)
from charges
cross join lateral (
    select coalesce(sum(points), 0) as points from charge_reversals where charge_id = charges.id
) sums
where reversed <> sums.points
limit $1
