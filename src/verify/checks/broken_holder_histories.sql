-- Lists changes of a ticket's holder that do not continue the one before: their numbers are 1, 2, …
-- without a gap, the first is by who paid for the ticket, the payer of its share or the owner of the
-- reservation, and each other one by the recipient of
-- the one before.
with chain as (
    select changes.ticket_id, changes.number, sender_id,
        lag(changes.number, 1, 0) over previous as number_before,
        coalesce(lag(recipient_id) over previous, shares.payer_id, reservations.account_id)
            as holder_before
    from ticket_holder_changes changes
    join ticket_hand_overs on ticket_hand_overs.id = hand_over_id
    join tickets on tickets.id = changes.ticket_id
    join reservation_items on reservation_items.id = tickets.reservation_item_id
    join reservations on reservations.id = reservation_items.reservation_id
    left join share_places places on places.reservation_item_id = tickets.reservation_item_id
        and places.number = tickets.number and places.live
    left join shares on shares.id = share_id and shares.status = 'PAID'
    window previous as (partition by changes.ticket_id order by changes.number)
)
select 'ticket ' || ticket_id as "subject!",
    format('was handed over as number %s by account %s, after number %s to account %s',
        number, sender_id, number_before, holder_before) as "sentence!"
from chain
where number <> number_before + 1 or sender_id <> holder_before
limit $1
