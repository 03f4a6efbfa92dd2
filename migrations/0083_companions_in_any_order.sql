-- Companions' places that are written before their wheelchair places.
--
-- The seats of a plan are written in the order of the plan, in several statements. A companion's place may come
-- before the wheelchair place to which it belongs, so seats were inserted as ordinary ones, and written a second
-- time with their kinds. Whether each companion's place has its wheelchair place is now also decided at the end
-- of a transaction that asks for it; all others have it checked by each statement, as before.
alter table seats alter constraint seats_companion_of_seat deferrable initially immediate;
