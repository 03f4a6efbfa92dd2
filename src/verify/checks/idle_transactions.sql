-- Lists transactions of instances that are idle, the oldest first: they hold a snapshot, and
-- perhaps row locks that others wait for.
select 'connection ' || pid as "subject!",
    format('is idle in a transaction since %s; its last statement was %s',
        state_change, left(regexp_replace(query, '\s+', ' ', 'g'), 200)) as "sentence!"
from pg_stat_activity
where datname = current_database()
    and application_name = 'stagedoor' -- APPLICATION_NAME in src/infra/postgres/settings.rs
    and state like 'idle in transaction%'
    and state_change < clock_timestamp()
        - interval '4s' -- idle_in_transaction_session_timeout in src/infra/postgres/settings.rs
        - interval '1s' -- until the server has ended it
order by state_change
limit $1
