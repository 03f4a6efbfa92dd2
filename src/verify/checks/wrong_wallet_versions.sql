-- Lists wallets whose version is not that of their last change: a wallet changes only together with
-- its history.
with history as (
    select wallet_id, max(wallet_version) as version
    from point_transactions group by wallet_id
)
select 'wallet ' || id as "subject!",
    format('is at version %s, but its last change is %s',
        wallets.version, coalesce(history.version, 0)) as "sentence!"
from wallets left join history on wallet_id = id
where wallets.version <> coalesce(history.version, 0)
limit $1
