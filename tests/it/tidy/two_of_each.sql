-- Tells the planner that each key has two values only. Of a real office with two houses it
-- learns the same from its statistics.
do $$
declare
    keyed record;
begin
    for keyed in
        select table_name, column_name from information_schema.columns
        where table_schema = 'public'
            and column_name in ('venue_id', 'program_id', 'schedule_id', 'wallet_id', 'account_id')
    loop
        execute format('alter table %I alter column %I set (n_distinct = 2)',
            keyed.table_name, keyed.column_name);
    end loop;
end
$$;
