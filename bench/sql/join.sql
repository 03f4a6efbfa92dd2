-- The bench's own: one join, one transaction, which is what a join costs without batches.
-- Variables: program
begin;
select next_number from queue_numbers where program_id = :program for update \gset
insert into queue_tokens (id, program_id, account_id, queue_number)
values (gen_random_uuid(), :program, bench.id(0, :next_number), :next_number);
update queue_numbers set next_number = :next_number + 1 where program_id = :program;
commit;
