\set nth :n * :clients + :client_id + 1
\set n :n + 1
select id as account from accounts where lower(email) = lower(:nth::text || '@' || :host::text) \gset
begin;
select next_number as number from queue_numbers where program_id = :program::uuid for update \gset
insert into queue_tokens (id, program_id, account_id, queue_number)
values (gen_random_uuid(), :program::uuid, :account::uuid, :number::bigint);
update queue_numbers set next_number = next_number + 1 where program_id = :program::uuid;
commit;
