-- Statistics of tables that PostgreSQL last found (nearly) empty. Its planner then expects one row
-- of any index, so a plan may read all of another one; and connections keep their plans. The server
-- notices growth by itself, but up to a minute later: the minute in which a sale opens.

-- Analyzes the tables that have outgrown such statistics, and returns how many. Each connection then
-- makes its plans for them anew. It runs as the owner, because the serving role may not analyze.
create function analyze_outgrown() returns integer
    language plpgsql security definer set search_path = public, pg_temp as $$
declare
    -- Rows from which on the planner tells the indexes apart.
    rows_known constant bigint := 100;
    outgrown regclass;
    n integer := 0;
begin
    -- One instance is enough.
    if not pg_try_advisory_xact_lock(hashtext('stagedoor statistics')) then
        return 0;
    end if;
    for outgrown in
        select t.oid from pg_class t
        where t.relkind = 'r' and t.relnamespace = 'public'::regnamespace
            -- Of a table that was never looked at (-1), the planner expects more.
            and t.reltuples >= 0 and t.reltuples < rows_known
            and pg_stat_get_live_tuples(t.oid) >= rows_known
    loop
        execute format('analyze %s', outgrown);
        n := n + 1;
    end loop;
    return n;
end
$$;

revoke execute on function analyze_outgrown() from public;
