-- Request keys: an order that arrives twice is carried out once.
--
-- The row is inserted first in the transaction of the work itself, so a second
-- attempt waits on it, and a refusal rolls it back together with the work. A row
-- that is seen committed is therefore a success, with what was answered then.
create table idempotency_keys (
    account_id  uuid        not null references accounts,
    key         uuid        not null,
    -- SHA-256 over the route and the parsed order.
    fingerprint bytea       not null,
    -- Written before the commit; null is never seen by another transaction.
    outcome     jsonb,
    created_at  timestamptz not null default now(),

    constraint idempotency_keys_pkey primary key (account_id, key)
);

-- The janitor deletes old keys by age.
create index idempotency_keys_created_at on idempotency_keys (created_at);
