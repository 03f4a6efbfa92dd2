-- Seats of the performance that a reservation still has: one that was sold on, refunded alone or given for another place
-- is none of them, so a change of that seat neither concerns the rest of the order nor gives a right to a refund of it.
create or replace function seats_of(reservation uuid) returns bigint[] language sql stable as $$
    select array(
        select schedule_seat_id from reservation_items
        where reservation_id = reservation and schedule_seat_id is not null and quantity > returned)
$$;
