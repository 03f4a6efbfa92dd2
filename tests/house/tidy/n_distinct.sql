-- Tells the planner how many values each key has: `tidy.n_distinct`, as `alter table` takes it. Of a
-- real office it learns the same from its statistics.
do $$
declare
    keyed record;
begin
    for keyed in
        select table_name, column_name from information_schema.columns
        join information_schema.tables using (table_catalog, table_schema, table_name)
        where table_schema = 'public' and table_type = 'BASE TABLE'
            and column_name in ('venue_id', 'program_id', 'schedule_id', 'wallet_id', 'account_id')
    loop
        execute format('alter table %I alter column %I set (n_distinct = %s)',
            keyed.table_name, keyed.column_name, current_setting('tidy.n_distinct'));
    end loop;
end
$$;
