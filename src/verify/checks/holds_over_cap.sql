-- Lists reservations with which an account exceeded its cap of places at the moment of the hold. One that is made in
-- an exchange may have the places of the tickets beyond it that are given for it; where the exchange ended without them, its
-- payment may not have exceeded the cap either.
with held as (
    select reservations.id, account_id, program_id, created_at, places,
        case when is_alone then confirmed_at else created_at end as judged_at,
        places_max + case when is_alone then 0 else (
            select count(*) from exchanged_tickets given
            where given.exchange_id = reservations.exchange_id and not exists (
                select from ticket_returns sold
                where sold.ticket_id = given.ticket_id and sold.status = 'SOLD'
                    and sold.settled_at <= reservations.created_at)) end as places_max,
        case status
            when 'CONFIRMED' then 'infinity'
            when 'HELD' then expires_at
            when 'EXPIRED' then expires_at
            else settled_at end as live_until
    from reservations
    join (select reservation_id, sum(quantity) as places
          from reservation_items group by reservation_id) items on reservation_id = id
    cross join lateral (
        select exchange_id is not null and confirmed_at is not null
            and (select status from exchanges where id = reservations.exchange_id) = 'ENDED' as is_alone
    ) paid
)
select 'reservation ' || held.id as "subject!",
    format('was held at %s for %s places beside %s live ones, though %s are the most',
        held.created_at, held.places, coalesce(sum(other.places - sold.places), 0), held.places_max)
        as "sentence!"
from held
left join held other on other.account_id = held.account_id
    and other.program_id = held.program_id
    and other.created_at < held.created_at and held.judged_at < other.live_until
-- What others had bought by then was not the account's any more.
left join lateral (
    select count(*) as places from ticket_returns
    where reservation_id = other.id and status = 'SOLD' and settled_at <= held.judged_at
) sold on true
group by held.id, held.created_at, held.places, held.places_max
having held.places + coalesce(sum(other.places - sold.places), 0) > held.places_max
limit $1
