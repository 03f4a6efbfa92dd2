-- What is sold now, counted once: the places of paid reservations that nobody else has bought since. Pages and
-- files that count what is sold read this view, so that a place that was sold on is its buyer's alone.
--
-- The reservation is looked up for each item, so that a reader that names a reservation, a seat or a zone finds
-- its items by that key, whatever the planner believes.
create view sold_now as
select i.id as item_id, i.reservation_id, r.program_id, i.schedule_id, i.schedule_seat_id, i.zone_id,
    i.price_type_id, i.quantity - i.returned as places,
    (i.quantity - i.returned) * i.unit_price as points
from reservation_items i
cross join lateral (
    select program_id, status from reservations where id = i.reservation_id offset 0
) r
where i.live and r.status = 'CONFIRMED';

-- Events tell of a ticket that is somebody else's: `ticket.resold` and `ticket.handed-over`.
alter table domain_events
    drop constraint domain_events_kind_form,
    add constraint domain_events_kind_form check (kind ~ '^[a-z]+\.[a-z_-]+$') not valid;
alter table domain_events validate constraint domain_events_kind_form;
