-- Rights of the serving role on tables that do not exist yet. The owner runs this before every
-- migration, in a transaction that has set `stagedoor.serving_role`: instances of the version before
-- serve while the tables are migrated, and a trigger may pass their writes on into a new table.
--
-- Some of it grants.sql takes back after the migration.
do $$
declare
    serving text := current_setting('stagedoor.serving_role');
begin
    -- The same lock as in grants.sql.
    perform pg_advisory_xact_lock(hashtext('stagedoor grants'));
    if serving = current_user then
        return;
    end if;
    execute format('alter default privileges in schema public
        grant select, insert, update, delete on tables to %I', serving);
    execute format('alter default privileges in schema public
        grant usage, select on sequences to %I', serving);
end
$$;
