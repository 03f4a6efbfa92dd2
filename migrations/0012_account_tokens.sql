-- Links that are mailed to the owner of an account: to choose a new password, and to confirm an
-- address. Only the SHA-256 of a link's token is kept, so a copy of this database opens no account.

-- When the owner confirmed the account's address; null: never.
alter table accounts add column email_confirmed_at timestamptz;

create table account_tokens (
    -- SHA-256 of the token in the link.
    token_hash bytea       primary key,
    account_id uuid        not null references accounts,
    purpose    text        not null,
    -- Address that the link was sent to. A confirmation makes it the account's.
    address    text        not null,
    expires_at timestamptz not null,
    -- When the link was used, or lost its use because the account changed; null: it still works.
    used_at    timestamptz,
    created_at timestamptz not null default clock_timestamp(),

    constraint account_tokens_token_hash_length check (length(token_hash) = 32),
    constraint account_tokens_purpose_known check (purpose in ('RESET', 'CONFIRM')),
    constraint account_tokens_address_length check (length(address) between 3 and 254)
);

-- Recent links of one account, which are counted.
create index account_tokens_account_id on account_tokens (account_id, purpose, created_at);
-- Old links, to be deleted.
create index account_tokens_expires_at on account_tokens (expires_at);
