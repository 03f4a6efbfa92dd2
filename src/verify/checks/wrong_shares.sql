-- Lists shares that do not fit their reservation. A share costs what its places do, each less its part of
-- the discount, has places while it is live or paid and none otherwise, and none that another one has.
-- The holder's share has no link, every other share has one. A share is paid exactly if its reservation
-- is or was, by the payment with its id.
with running as (
    select items.id as item_id, place.number, unit_price, reduced, discount,
        sum(reduced) over (partition by reservations.id order by items.id, place.number) as so_far,
        sum(reduced) over (partition by reservations.id) as whole
    from reservations
    join reservation_items items on items.reservation_id = reservations.id
    cross join lateral generate_series(1, quantity) as place (number)
    cross join lateral (
        select case when return_id is null and not was_on_return then unit_price else 0 end as reduced
    ) its
    where is_shared
), priced as (
    -- As `prices_less` of the product divides the discount.
    select item_id, number, unit_price
        - coalesce(div(discount * so_far, nullif(whole, 0)), 0)
        + coalesce(div(discount * (so_far - reduced), nullif(whole, 0)), 0) as price
    from running
), places as (
    select share_id, count(*) as n, count(*) filter (where places.live) as n_live,
        sum(coalesce(priced.price, unit_price)) as price,
        count(*) filter (where items.reservation_id <> shares.reservation_id) as n_foreign,
        count(*) filter (where places.live and exists (
            select from share_places other
            where other.reservation_item_id = places.reservation_item_id
                and other.number = places.number and other.live
                and other.share_id <> places.share_id)) as n_twice
    from share_places places
    join shares on shares.id = share_id
    join reservation_items items on items.id = reservation_item_id
    left join priced on priced.item_id = reservation_item_id and priced.number = places.number
    group by share_id
)
select 'share ' || shares.id as "subject!",
    format('is %s, %s', shares.status, wrong.what) as "sentence!"
from shares
join reservations on reservations.id = reservation_id
left join places on share_id = shares.id
cross join lateral (
    select format('of %s for places of %s', shares.amount, coalesce(price, 0)) as what
    where shares.amount is distinct from price
    union all
    select format('with %s live of %s places', coalesce(n_live, 0), coalesce(n, 0))
    where n_live <> case when shares.status in ('OPEN', 'WITHHELD', 'PAID') then n else 0 end
    union all
    select format('with %s places of another reservation', n_foreign) where n_foreign > 0
    union all
    select format('with %s places that another share has', n_twice) where n_twice > 0
    union all
    select 'of the holder with a link, or of somebody else without one'
    where payer_id is not null and (payer_id = reservations.account_id) <> (code_hash is null)
    union all
    select 'of a reservation that is not noted as shared' where not is_shared
    union all
    select format('of a reservation that is %s', reservations.status)
    where case shares.status
        when 'PAID' then reservations.status not in ('CONFIRMED', 'REFUNDED')
        when 'OPEN' then reservations.status in ('CONFIRMED', 'REFUNDED')
        when 'WITHHELD' then reservations.status in ('CONFIRMED', 'REFUNDED')
        else false end
    union all
    select 'and its payment is missing'
    where shares.status = 'PAID' and not exists (
        select from payments
        where payments.id = shares.id and payments.reservation_id = shares.reservation_id)
    union all
    select 'and has a payment'
    where shares.status <> 'PAID' and exists (select from payments where payments.id = shares.id)
) wrong
limit $1
