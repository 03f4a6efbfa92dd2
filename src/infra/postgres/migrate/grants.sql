-- Rights of the serving role. The owner runs this after every migration, in a transaction that has
-- set `stagedoor.serving_role`.
--
-- The serving role owns nothing, so it cannot switch off a trigger, drop a constraint or an index,
-- truncate a table, or read other schemas. It may not change append-only tables. It may delete
-- the entries of wallets and the histories of tickets, because a rehearsal deletes its own; triggers
-- refuse all others.
do $$
declare
    serving text := current_setting('stagedoor.serving_role');
begin
    -- Instances that start together grant one after the other, because the server refuses the
    -- second of two transactions that change the same rights.
    perform pg_advisory_xact_lock(hashtext('stagedoor grants'));
    if serving = current_user then
        return;
    end if;
    execute format('grant usage on schema public to %I', serving);
    execute format('grant select, insert, update, delete on all tables in schema public to %I', serving);
    execute format('grant usage, select on all sequences in schema public to %I', serving);
    execute format('grant execute on function analyze_outgrown() to %I', serving);
    execute format('revoke update on point_transactions, house_entries, ticket_holder_changes from %I', serving);
    execute format('revoke update, delete on transfer_status_history, audit_log, debt_write_offs from %I', serving);
    execute format('revoke insert, update, delete on _sqlx_migrations from %I', serving);
end
$$;
