-- Set-up: a whole queue at once, as it stands when a sale has run for a while: everybody is inside
-- whom the capacity lets in, and the others wait behind them. Who waits is called
-- :first and so on; one in :apart of them has a session, and may ask for their place.
--
-- Variables: nth, of a stage with an empty queue; first; people, how many wait; apart; inside
insert into accounts (id, email, name, password_hash)
select bench.id(0, nth), nth || '@bench.invalid', 'Bench', 'none'
from generate_series(:first, :first + :people - 1) nth;

insert into sessions (token_hash, account_id, expires_at)
select bench.session(nth), bench.id(0, nth), now() + interval '1 day'
from generate_series(:first, :first + :people - 1, :apart) nth;

-- Together, so that the server sees no queue before it sees all of it.
begin;
insert into queue_tokens (id, program_id, account_id, queue_number, status, admitted_at,
    stay_ends_at, expires_at, commitment)
select gen_random_uuid(), bench.id(1, :nth), bench.id(0, nth), nth, 'ACTIVE', now(),
    now() + interval '1 day', now() + interval '1 day', sha256(int8send(nth))
from generate_series(1, :inside) nth;

insert into queue_tokens (id, program_id, account_id, queue_number, commitment)
select bench.id(7, :first + nth), bench.id(1, :nth), bench.id(0, :first + nth), :inside + 1 + nth,
    sha256(int8send(nth))
from generate_series(0, :people - 1) nth;

update queue_numbers set next_number = :inside + :people + 1 where program_id = bench.id(1, :nth);
commit;

vacuum analyze accounts, sessions, queue_tokens, queue_numbers;
checkpoint;
