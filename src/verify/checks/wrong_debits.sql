-- Lists payments that did not debit their account's wallet exactly once: a payment costs its amount
-- once. The points of a share were withheld before, and are not any more.
with taken as (
    select reference_id, count(*) as n,
        count(*) filter (where wallets.account_id = payments.account_id
            and point_transactions.amount = -payments.amount
            and pending_change = case when shares.id is null then 0 else -payments.amount end)
            as n_right
    from point_transactions
    join wallets on wallets.id = wallet_id
    join payments on payments.id = reference_id
    left join shares on shares.id = payments.id
    where kind = 'PAYMENT'
    group by reference_id
)
select 'payment ' || id as "subject!",
    format('is %s with %s payment entries, %s of them of %s in its account''s wallet',
        status, coalesce(n, 0), coalesce(n_right, 0), -amount) as "sentence!"
from payments left join taken on reference_id = id
where coalesce(n, 0) <> 1 or n_right <> 1
limit $1
