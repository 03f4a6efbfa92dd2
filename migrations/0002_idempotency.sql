-- Request keys: a request that arrives twice is carried out once.
--
-- The transaction that does the work inserts the key's row first. A second request with the same
-- key waits for that row, and a refusal rolls the row back together with the work. A committed row
-- therefore means success, and holds the answer that was given.
create table idempotency_keys (
    account_id  uuid        not null references accounts,
    key         uuid        not null,
    -- SHA-256 of the route and the parsed request: a key is refused for another request.
    fingerprint bytea       not null,
    -- The answer. Written before the commit, so no other transaction sees null.
    outcome     jsonb,
    created_at  timestamptz not null default now(),

    constraint idempotency_keys_pkey primary key (account_id, key)
);

-- Old keys, for the worker that deletes them.
create index idempotency_keys_created_at on idempotency_keys (created_at);
