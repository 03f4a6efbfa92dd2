-- Lists reservations that are confirmed but not paid exactly once, and reservations that are paid but
-- not confirmed. One that is paid at once has one payment of its total by its account. One that is paid
-- in shares has a payment for each of its paid shares, by its payer and of its price, numbered 1, 2, …,
-- and they add up to the total.
with paid as (
    select payments.reservation_id, count(*) as n, sum(payments.amount) as points,
        max(number) as last_number,
        count(*) filter (where shares.id is null
            and payments.account_id = reservations.account_id) as n_alone,
        count(*) filter (where shares.status = 'PAID'
            and shares.reservation_id = payments.reservation_id
            and shares.payer_id = payments.account_id
            and shares.amount = payments.amount) as n_shares
    from payments
    join reservations on reservations.id = payments.reservation_id
    left join shares on shares.id = payments.id
    where payments.status = 'COMPLETED'
    group by payments.reservation_id
)
select 'reservation ' || id as "subject!",
    format('is %s with %s completed payments of %s together: %s of its account, %s of its shares, for '
        'a total of %s',
        status, coalesce(n, 0), coalesce(points, 0), coalesce(n_alone, 0), coalesce(n_shares, 0),
        total) as "sentence!"
from reservations left join paid on reservation_id = id
where case when status = 'CONFIRMED'
    then n is null or points <> total or last_number <> n
        or not (n = 1 and n_alone = 1 or n_shares = n)
    else n is not null end
limit $1
