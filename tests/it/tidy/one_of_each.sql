-- Tells the planner that no key has two rows, as in an office whose first sale begins.
do $$
declare
    keyed record;
begin
    for keyed in
        select table_name, column_name from information_schema.columns
        where table_schema = 'public'
            and column_name in ('venue_id', 'program_id', 'schedule_id', 'wallet_id', 'account_id')
    loop
        execute format('alter table %I alter column %I set (n_distinct = -1)',
            keyed.table_name, keyed.column_name);
    end loop;
end
$$;
