-- Conditions of partial indexes that every supported server keeps.
--
-- Some indexes have a condition that is true for every row, so that only statements that state it use them, as
-- explained at `schedule_seats_available`. From version 17 on PostgreSQL drops `is not null` from a statement
-- whose column cannot be null, and then no longer finds the index. Where the statement compares the column by
-- itself the condition follows from that, and the index is found; these three had no such comparison. A comparison
-- with a constant is never dropped.
--
-- Until the version before this one is replaced, its statements read these tables without the indexes.

drop index account_tokens_account_id;
create index account_tokens_account_id on account_tokens (account_id, created_at)
    where created_at > '-infinity';

drop index queue_moves_behind;
create index queue_moves_behind on queue_moves (program_id)
    where leaf_index is null and moved_at > '-infinity';

drop index charges_created_at;
create index charges_created_at on charges (created_at, id) where amount_minor > 0;
