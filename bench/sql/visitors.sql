-- Set-up: in a database with a large office: somebody inside the first program for each of its
-- thousand first buyers, with the session that bench/sql/people.sql gives the nth person.
-- Prints the first performance, then the ids of its free seats.
with program as (
    select id from programs where slug = 'season-1'
), visitor as (
    select accounts.id, row_number() over (order by accounts.id) as nth
    from queue_tokens join accounts on accounts.id = account_id
    where program_id = (select id from program)
    order by accounts.id limit 1000
), signed_in as (
    insert into sessions (token_hash, account_id, expires_at)
    select sha256(decode(lpad(to_hex(nth), 64, '0'), 'hex')), id, now() + interval '1 day' from visitor
), moved as (
    update queue_numbers set next_number = next_number + 1000
    where program_id = (select id from program)
    returning next_number - 1000 as first
)
insert into queue_tokens (id, program_id, account_id, queue_number, status, admitted_at,
    stay_ends_at, expires_at)
select gen_random_uuid(), program.id, visitor.id, first + nth - 1, 'ACTIVE', now(),
    now() + interval '1 day', now() + interval '1 day'
from program, visitor, moved;

vacuum analyze queue_tokens, sessions;
checkpoint;

select schedules.id from schedules join programs on programs.id = program_id
where slug = 'season-1' order by starts_at limit 1;

select id from schedule_seats
where status = 'AVAILABLE' and schedule_id = (
    select schedules.id from schedules join programs on programs.id = program_id
    where slug = 'season-1' order by starts_at limit 1)
order by id;
