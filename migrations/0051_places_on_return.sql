-- What a seat on return is to whoever asks whether it is taken, and orders in which places on return cost
-- what was paid for them.
--
-- A seat on return is AVAILABLE again, or HELD by a buyer, and still its seller's. A statement that asks
-- for the status alone takes it for a free one: the kind of a sold seat could be changed, and counts said
-- that it was not sold. One function says what a seat is beside its return, and one whether it is taken,
-- and every statement asks them. Both are written into the statement by the planner.
create function seat_standing(status text, return_id uuid) returns text
    language sql immutable parallel safe
    as $$ select case when return_id is null then status else 'RESERVED' end $$;

create function seat_is_taken(status text, return_id uuid) returns boolean
    language sql immutable parallel safe
    as $$ select seat_standing(status, return_id) in ('HELD', 'RESERVED') $$;

-- A price type or a code made a place on return cheaper than what its seller was paid for it, and the
-- house paid the difference. Neither does any more. What was held before was agreed otherwise, and an
-- older version that still serves goes on agreeing it: `stagedoor verify` asks it of the others only.
alter table reservations
    -- Whether its places on return cost what was paid for them, whatever type or code it has.
    add column returns_at_price boolean not null default false;
