-- Lists charges at the payment provider that are settled without exactly one entry of their points
-- in their account's wallet, and charges with an entry that are unsettled, or whose money came for
-- an account that was deleted.
select format('charge %s', charges.id) as "subject!",
    format('is %s%s and has %s entries, %s of its %s points', status,
        case when unclaimed_at is null then '' else ', unclaimed,' end, entries.n, entries.n_right,
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
    or entries.n <> case when settled_at is null or unclaimed_at is not null then 0 else 1 end
limit $1
