-- Lists changes of points that do not follow from the change before, by version and balance: one is
-- missing, doubled or wrong.
with chain as (
    select wallet_id, wallet_version, amount, balance_after,
        lag(wallet_version, 1, 0::bigint) over history as version_before,
        lag(balance_after, 1, 0::bigint) over history as balance_before
    from point_transactions
    window history as (partition by wallet_id order by wallet_version)
)
select 'wallet ' || wallet_id as "subject!",
    format('version %s (%s, then %s) does not follow from version %s (then %s)',
        wallet_version, amount, balance_after, version_before, balance_before)
        as "sentence!"
from chain
where wallet_version <> version_before + 1 or balance_after <> balance_before + amount
limit $1
