-- Lists reservations that are confirmed but not paid exactly once, by their account and at their
-- total, and those that are paid but not confirmed.
with paid as (
    select reservation_id,
        count(*) as n,
        count(*) filter (where payments.account_id = reservations.account_id
            and amount = total) as n_right
    from payments join reservations on reservations.id = reservation_id
    where payments.status = 'COMPLETED'
    group by reservation_id
)
select 'reservation ' || id as "subject!",
    format('is %s with %s completed payments, %s of them of %s by its account',
        status, coalesce(n, 0), coalesce(n_right, 0), total) as "sentence!"
from reservations left join paid on reservation_id = id
where case when status = 'CONFIRMED' then coalesce(n, 0) <> 1 or n_right <> 1
    else n is not null end
limit $1
