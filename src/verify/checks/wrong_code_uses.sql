-- Lists codes whose count of uses differs from the held or paid reservations that have them, or from the
-- redemptions of an access code; whose count of places, where places are limited, differs from the places
-- of these reservations without places held while on return; or that have more of either than allowed, in all or for
-- one account, where holds past their end no longer count.
with used as (
    select sale_code_id, count(*) as n
    from reservations
    where sale_code_id is not null and status in ('HELD', 'CONFIRMED')
    group by sale_code_id
    union all
    select sale_code_id, count(*) from code_redemptions group by sale_code_id
), placed as (
    select sale_code_id, sum(quantity) as n
    from reservations join reservation_items item on item.reservation_id = reservations.id
    where sale_code_id is not null and status in ('HELD', 'CONFIRMED')
        and return_id is null and not was_on_return
    group by sale_code_id
), own as (
    select sale_code_id, account_id, count(*) as n
    from reservations
    where sale_code_id is not null
        and (status = 'CONFIRMED' or (status = 'HELD' and expires_at > now()))
    group by sale_code_id, account_id
)
select 'code ' || id as "subject!", wrong.what as "sentence!"
from sale_codes
left join used on used.sale_code_id = id
left join placed on placed.sale_code_id = id
cross join lateral (
    select format('has %s uses, and %s that are counted', uses, coalesce(used.n, 0)) as what
    where uses <> coalesce(used.n, 0)
    union all
    select format('has %s uses of %s', uses, uses_max) where uses > uses_max
    union all
    select format('has %s places, and %s that are counted', places, coalesce(placed.n, 0))
    where places <> coalesce(placed.n, 0)
    union all
    select format('has %s places of %s', places, places_max) where places > places_max
    union all
    select format('has %s uses by account %s, of %s', own.n, own.account_id, uses_per_account_max)
    from own where own.sale_code_id = id and own.n > uses_per_account_max
) wrong
limit $1
