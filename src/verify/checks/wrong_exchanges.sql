-- Lists exchanges that did not do all of what they are for, or did something while they were open or after they had ended:
-- one that is done has an order of its account and program that was made in it and confirmed when it was done, and the
-- house has each of its tickets for what was paid less the fee; and places that the house has in an exchange without it.
-- `worth` in src/payment/exchange/mod.rs
select 'exchange ' || x.id as "subject!",
    format('is %s with %s tickets of order %s, of which the house has %s, %s of them for what they are worth, and order %s',
        x.status, given.n, x.from_id, given.n_taken, given.n_right, coalesce(x.to_id::text, 'none')) as "sentence!"
from exchanges x
cross join lateral (
    select count(*) as n, count(sold.id) as n_taken,
        count(*) filter (where i.reservation_id = x.from_id) as n_own,
        count(sold.id) filter (where sold.payout = greatest(sold.price - x.fee, 0)
            and sold.seller_id = x.account_id and sold.reservation_id = x.from_id) as n_right
    from exchanged_tickets e
    join tickets t on t.id = e.ticket_id
    join reservation_items i on i.id = t.reservation_item_id
    left join ticket_returns sold on sold.ticket_id = t.id and sold.exchange_id = x.id and sold.status = 'SOLD'
    where e.exchange_id = x.id
) given
left join reservations bought on bought.id = x.to_id
where given.n = 0 or given.n_own <> given.n
    or case x.status
        when 'DONE' then given.n_right <> given.n
            or bought.account_id <> x.account_id or bought.program_id <> x.program_id
            or bought.exchange_id is distinct from x.id or bought.confirmed_at is null
            or abs(extract(epoch from bought.confirmed_at - x.settled_at)) > 60
        else given.n_taken > 0 end
union all
select 'return ' || r.id, format('was made in exchange %s, which has no such ticket', r.exchange_id)
from ticket_returns r
where r.exchange_id is not null and not exists (
    select from exchanged_tickets e where e.exchange_id = r.exchange_id and e.ticket_id = r.ticket_id)
limit $1
