-- Lists shares whose entries do not fit their status, price and payer: points were withheld or given
-- back too often or not at all. Spent points are an entry of the payment.
with entries as (
    select reference_id, account_id, kind, point_transactions.amount, pending_change
    from point_transactions join wallets on wallets.id = wallet_id
    where kind like 'SHARE%'
), tally as (
    select shares.id, status, payer_id,
        count(*) filter (where kind = 'SHARE_HOLD' and account_id = payer_id
            and entries.amount = 0 and pending_change = shares.amount) as holds,
        count(*) filter (where kind = 'SHARE_RELEASE' and account_id = payer_id
            and entries.amount = 0 and pending_change = -shares.amount) as releases,
        count(kind) as n
    from shares left join entries on reference_id = shares.id
    group by shares.id
)
select 'share ' || id as "subject!",
    format('is %s with %s right of %s entries: %s hold, %s release',
        status, holds + releases, n, holds, releases) as "sentence!"
from tally
where (holds, releases, n) <> all (case
    when payer_id is null then array[(0::bigint, 0::bigint, 0::bigint)]
    when status in ('WITHHELD', 'PAID') then array[(1::bigint, 0::bigint, 1::bigint)]
    else array[(1::bigint, 1::bigint, 2::bigint)] end)
limit $1
