-- Lists charges at the payment provider that are settled without exactly one entry of their points
-- in their account's wallet, and unsettled ones with an entry.
select format('charge %s', charges.id) as "subject!",
    format('is %s and has %s entries, %s of its %s points', status, entries.n, entries.n_right,
        points) as "sentence!"
from charges
cross join lateral (
    select count(*) as n,
        count(*) filter (where amount = points and wallets.account_id = charges.account_id) as n_right
    from point_transactions
    join wallets on wallets.id = wallet_id
    where reference_id = charges.id and kind = 'PURCHASE'
) entries
where entries.n <> entries.n_right
    or entries.n <> case when settled_at is null then 0 else 1 end
limit $1
