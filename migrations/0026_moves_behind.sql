-- Programs with moves to be published are found without reading every move.

-- The second condition is true for every row, and only this index's own statement states it, as
-- explained at `schedule_seats_available`.
create index queue_moves_behind on queue_moves (program_id)
    where leaf_index is null and moved_at is not null;

-- Debts are read with the wallets of some accounts, never alone.
drop index wallets_owing;
