-- Keys of programs that act for administrators, each with scopes that say what it may do.
--
-- Only the SHA-256 of a key is kept, which has 256 random bits, so a copy of this database opens nothing.

create table api_keys (
    id           uuid        primary key,
    -- What administrators call it.
    name         text        not null,
    token_hash   bytea       not null,
    scopes       text[]      not null,
    -- Administrator who made it. The key counts only while that account may manage.
    made_by      uuid        not null references accounts,
    -- Null: it does not end by itself.
    expires_at   timestamptz,
    revoked_at   timestamptz,
    -- Written once a minute at most.
    last_used_at timestamptz,
    created_at   timestamptz not null default clock_timestamp(),

    constraint api_keys_token_hash_key unique (token_hash),
    constraint api_keys_token_hash_length check (length(token_hash) = 32),
    constraint api_keys_name_length check (length(name) between 1 and 80),
    constraint api_keys_scopes_known
        check (cardinality(scopes) > 0 and scopes <@ array['programs:read', 'programs:write']),
    constraint api_keys_end_after_begin check (expires_at > created_at)
);

-- The keys of one administrator.
create index api_keys_made_by on api_keys (made_by);

-- Key by which an act was done for the account; null: by the account itself.
alter table audit_log add column api_key_id uuid;
alter table audit_log add constraint audit_log_of_api_key
    foreign key (api_key_id) references api_keys;
create index audit_log_api_key_id on audit_log (api_key_id) where api_key_id is not null;
