-- Lists movements of points without their house entry, house entries without their movement, and
-- transfers between people and points withheld for shares that have one: those need none.
select format('version %s of wallet %s', wallet_version, wallet_id) as "subject!",
    format('is %s of %s, but the house has %s', coalesce(kind, 'no entry'),
        coalesce(entry.amount, 0), coalesce(house.amount::text, 'nothing'))
        as "sentence!"
from point_transactions entry
full join house_entries house using (wallet_id, wallet_version)
where case when kind like 'TRANSFER%' or kind like 'SHARE%' then house.amount is not null
    else house.amount is distinct from -entry.amount end
limit $1
