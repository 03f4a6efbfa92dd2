-- Lists wallets whose balance and pending points are not the sums of their changes: points without
-- a history, or a history without points.
with history as (
    select wallet_id, sum(amount) as amount, sum(pending_change) as pending
    from point_transactions group by wallet_id
)
select 'wallet ' || wallets.id as "subject!",
    format('holds %s and withholds %s, but its changes add up to %s and %s',
        balance, wallets.pending, coalesce(amount, 0), coalesce(history.pending, 0))
        as "sentence!"
from wallets left join history on wallet_id = wallets.id
where balance <> coalesce(amount, 0) or wallets.pending <> coalesce(history.pending, 0)
limit $1
