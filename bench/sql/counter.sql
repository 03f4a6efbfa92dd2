-- The bench's own: one transaction that changes one row, which all clients change.
update bench.counter set value = value + 1 where id = 1;
