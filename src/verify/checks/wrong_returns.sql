-- Lists returns that are not of a ticket of their item, seller and payment at the price that was paid; open
-- returns of a ticket that is not valid, of a place that is not for sale, or that the seller takes back
-- although no hold has the place; and sold returns whose ticket still admits, or whose place was not bought
-- at that price, or was bought though the house has it.
select 'return ' || returns.id as "subject!",
    format('of ticket %s at %s is %s, with the ticket %s, its item at %s, and %s bought and %s awaited '
        'items', ticket_id, returns.price, returns.status, tickets.status, items.unit_price,
        bought.n_bought, bought.n_awaited) as "sentence!"
from ticket_returns returns
join tickets on tickets.id = ticket_id
join reservation_items items on items.id = returns.reservation_item_id
join payments on payments.id = payment_id
left join schedule_seats seats on seats.return_id = returns.id
cross join lateral (
    -- The buyer may have given the place back or sold it on since.
    select count(*) filter (where reservations.status in ('CONFIRMED', 'REFUNDED')) as n_bought,
        count(*) filter (where awaits_return) as n_awaited,
        count(*) filter (where coalesce(item.ordinary_price, item.unit_price) <> returns.price
            or item.schedule_seat_id is distinct from returns.schedule_seat_id
            or item.zone_id is distinct from returns.zone_id) as n_other
    from reservation_items item join reservations on reservations.id = item.reservation_id
    where item.return_id = returns.id
) bought
where tickets.reservation_item_id <> items.id
    or items.reservation_id <> returns.reservation_id
    or items.schedule_seat_id is distinct from returns.schedule_seat_id
    or items.zone_id is distinct from returns.zone_id
    or payments.reservation_id <> returns.reservation_id or payments.account_id <> returns.seller_id
    or returns.price <> case when returns.to_house then paid_for_place(items.id, tickets.number)
        else items.unit_price end
    or bought.n_other > 0
    or case returns.status
        when 'OPEN' then tickets.status <> 'VALID' or tickets.account_id <> returns.seller_id
            or bought.n_bought > 0 or bought.n_awaited > 1
            or returns.wanted_back_at is not null and bought.n_awaited = 0
            or returns.schedule_seat_id is not null
                and (seats.id is distinct from returns.schedule_seat_id or seats.price <> returns.price)
            or exists (select from ticket_hand_overs
                       where ticket_hand_overs.ticket_id = returns.ticket_id
                           and ticket_hand_overs.status = 'PENDING'
                           and expires_at > returns.created_at)
        when 'SOLD' then tickets.status <> 'VOID' or bought.n_awaited > 0
            or bought.n_bought <> case when returns.to_house then 0 else 1 end
            or seats.id is not null
        else bought.n_bought > 0 or bought.n_awaited > 0 or seats.id is not null end
limit $1
