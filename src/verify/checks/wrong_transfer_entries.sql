-- Lists transfers whose entries do not fit their status, amount and accounts: points were withheld,
-- moved or given back too often or not at all.
with entries as (
    select reference_id, account_id, kind, point_transactions.amount, pending_change
    from point_transactions join wallets on wallets.id = wallet_id
    where kind like 'TRANSFER%'
), tally as (
    select transfers.id, status,
        count(*) filter (where kind = 'TRANSFER_HOLD' and account_id = sender_id
            and entries.amount = 0 and pending_change = transfers.amount) as holds,
        count(*) filter (where kind = 'TRANSFER_RELEASE' and account_id = sender_id
            and entries.amount = 0 and pending_change = -transfers.amount) as releases,
        count(*) filter (where kind = 'TRANSFER_OUT' and account_id = sender_id
            and entries.amount = -transfers.amount
            and pending_change = -transfers.amount) as outs,
        count(*) filter (where kind = 'TRANSFER_IN' and account_id = receiver_id
            and entries.amount = transfers.amount and pending_change = 0) as ins,
        count(kind) as n
    from transfers left join entries on reference_id = transfers.id
    group by transfers.id
)
select 'transfer ' || id as "subject!",
    format('is %s with %s right of %s entries: %s hold, %s release, %s out, %s in',
        status, holds + releases + outs + ins, n, holds, releases, outs, ins)
        as "sentence!"
from tally
where (holds, releases, outs, ins, n) <> all (case status
    when 'PENDING' then array[(1::bigint, 0::bigint, 0::bigint, 0::bigint, 1::bigint)]
    when 'ACCEPTED' then array[(1::bigint, 0::bigint, 1::bigint, 1::bigint, 3::bigint)]
    else array[(1::bigint, 1::bigint, 0::bigint, 0::bigint, 2::bigint)] end)
limit $1
