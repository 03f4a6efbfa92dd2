-- Places that were on return when they were held, and are no longer.
--
-- A hold of a place on return keeps it when its seller is refunded: the place is the hold's then, and its item
-- no longer names the return. No code was taken off it and no limit of a code counted it, which must stay so.
-- A version before this one leaves the column false.
alter table reservation_items add column was_on_return boolean not null default false;

-- Seats that such holds with a code were given by a version before this one. Of a place in a zone nothing
-- tells whether it was.
update reservation_items item
set was_on_return = true
from reservations
where reservations.id = item.reservation_id and sale_code_id is not null and returns_at_price
    and item.return_id is null
    and exists (
        select from ticket_returns
        where ticket_returns.schedule_seat_id = item.schedule_seat_id
            and ticket_returns.reservation_item_id <> item.id and ticket_returns.status = 'VOIDED'
            and ticket_returns.created_at < reservations.created_at
            and ticket_returns.settled_at > reservations.created_at
    );
