-- Lists payouts whose points did not leave the wallet of their charge's account exactly once, or came back
-- without a failure, or did not come back once after one; and charges of which more points or more money
-- are gone than came, or whose points that were paid out are not those of their payouts.
select format('payout %s', payout.id) as "subject!",
    format('is %s over %s points with %s entries out, %s back, %s of them right', payout.status, payout.points,
        entries.n_out, entries.n_back, entries.n_right) as "sentence!"
from payouts payout
join charges on charges.id = charge_id
cross join lateral (
    select count(*) filter (where kind = 'PAYOUT') as n_out,
        count(*) filter (where kind = 'PAYOUT_RETURN') as n_back,
        count(*) filter (where wallets.account_id = charges.account_id
            and amount = case kind when 'PAYOUT' then -payout.points else payout.points end) as n_right
    from point_transactions
    join wallets on wallets.id = wallet_id
    where reference_id = payout.id and kind in ('PAYOUT', 'PAYOUT_RETURN')
) entries
where entries.n_out <> 1
    or entries.n_back <> case payout.status when 'FAILED' then 1 else 0 end
    or entries.n_right <> entries.n_out + entries.n_back
union all
select format('charge %s', charges.id),
    format('has %s of %s points paid out and %s taken back, and payouts of %s points and %s of its %s',
        paid_out, charges.points, reversed, sums.points, sums.minor, charges.amount_minor)
from charges
cross join lateral (
    select coalesce(sum(points), 0) as points, coalesce(sum(amount_minor), 0) as minor
    from payouts
    where charge_id = charges.id and status <> 'FAILED'
) sums
where paid_out <> sums.points or paid_out + reversed > charges.points or sums.minor > charges.amount_minor
    or sums.points > 0 and (settled_at is null or unclaimed_at is not null)
limit $1
