-- Lists refunded payments that did not credit their account exactly once, or credited more than was
-- paid, and others that credited anything.
with given as (
    select reference_id, count(*) as n,
        count(*) filter (where wallets.account_id = payments.account_id
            and point_transactions.amount between 0 and payments.amount
            and pending_change = 0) as n_right
    from point_transactions
    join wallets on wallets.id = wallet_id
    join payments on payments.id = reference_id
    where kind = 'REFUND'
    group by reference_id
)
select 'payment ' || id as "subject!",
    format('is %s with %s refund entries, %s of them of at most %s in its account''s wallet',
        status, coalesce(n, 0), coalesce(n_right, 0), amount) as "sentence!"
from payments left join given on reference_id = id
where case when status = 'REFUNDED' then coalesce(n, 0) <> 1 or n_right <> 1
    else n is not null end
limit $1
