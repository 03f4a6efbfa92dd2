-- Lists sold returns that did not credit their seller's wallet with the payout exactly once, others that
-- credited anything, and such credits without a return.
with given as (
    select reference_id, count(*) as n,
        count(*) filter (where wallets.account_id = seller_id and amount = payout
            and pending_change = 0) as n_right
    from point_transactions
    join wallets on wallets.id = wallet_id
    left join ticket_returns on ticket_returns.id = reference_id
    where kind = 'RESALE'
    group by reference_id
)
select 'return ' || coalesce(id, reference_id) as "subject!",
    format('is %s with %s credits, %s of them of %s in its seller''s wallet',
        coalesce(status, 'no return'), coalesce(n, 0), coalesce(n_right, 0), payout) as "sentence!"
from ticket_returns full join given on reference_id = id
where case when status = 'SOLD' then coalesce(n, 0) <> 1 or n_right <> 1 else n is not null end
limit $1
