-- The least number of places of an order, kept with the order.
--
-- A ticket that is sold on leaves the order that it was bought in. What is left must keep to the rules by
-- which the order was made. Its price types are kept with its items; the least number was read from the
-- program, whose setting of today may be another one than that of the hold.

alter table reservations
    -- Places that the order has as long as it has any: what its program asked for when it was held, or
    -- less where only places on return were bought. Null: held by a version that did not keep it.
    add column places_min integer,
    add constraint reservations_places_min_positive check (places_min > 0) not valid;
alter table reservations validate constraint reservations_places_min_positive;
