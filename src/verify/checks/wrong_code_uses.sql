-- Lists codes whose uses are not the held or paid reservations that have them, or the redemptions of an
-- access code, or are more than may be, in all or of one account, where holds past their end no longer
-- count.
with used as (
    select sale_code_id, count(*) as n
    from reservations
    where sale_code_id is not null and status in ('HELD', 'CONFIRMED')
    group by sale_code_id
    union all
    select sale_code_id, count(*) from code_redemptions group by sale_code_id
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
cross join lateral (
    select format('has %s uses, and %s that are counted', uses, coalesce(used.n, 0)) as what
    where uses <> coalesce(used.n, 0)
    union all
    select format('has %s uses of %s', uses, uses_max) where uses > uses_max
    union all
    select format('has %s uses by account %s, of %s', own.n, own.account_id, uses_per_account_max)
    from own where own.sale_code_id = id and own.n > uses_per_account_max
) wrong
limit $1
