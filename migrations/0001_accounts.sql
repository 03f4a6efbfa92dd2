-- Whether a rehearsal made this: its ids are UUIDs of version 8, all others of version 7.
create function is_throwaway(id uuid) returns boolean language sql immutable parallel safe
    return substr(id::text, 15, 1) = '8';

-- Accounts: who may sign in, and the sessions they are signed in with.
--
-- Sessions stand here and not in Redis, so that a lost Redis logs nobody out.
-- Only the SHA-256 of a cookie's value is kept: a copy of this table opens no
-- session.
create table accounts (
    id            uuid        primary key,
    email         text        not null,
    name          text        not null,
    password_hash text        not null,
    role          text        not null default 'CUSTOMER',
    locked_at     timestamptz,
    created_at    timestamptz not null default now(),

    constraint accounts_role_known check (role in ('CUSTOMER', 'STAFF', 'ADMIN')),
    constraint accounts_email_length check (length(email) between 3 and 254),
    constraint accounts_email_folded check (email = translate(
        email, 'ABCDEFGHIJKLMNOPQRSTUVWXYZ', 'abcdefghijklmnopqrstuvwxyz')),
    constraint accounts_name_length check (length(name) between 1 and 80)
);

-- One account per mailbox, however its owner writes it. The address stands here as
-- `accounts::Email` folds it: case, width and the host's script. PostgreSQL folds nothing,
-- because two programs that fold the same letters never agree on all of them.
create unique index accounts_email_key on accounts (email);

-- The desk looks people up by the beginning of their address, their name or its last
-- word, in the order of bytes, whatever the database's collation.
create index accounts_email_beginning on accounts (email text_pattern_ops);
create index accounts_name_beginning on accounts (lower(name) text_pattern_ops);
create index accounts_last_name_beginning on accounts (lower(substring(name from '[^ ]*$')) text_pattern_ops);

-- `id` names a session to its owner, who may end it; it opens nothing. `last_seen_at` is
-- written now and then, so that an unused session ends; `confirmed_at` is when its owner last
-- gave the password.
create table sessions (
    token_hash   bytea       primary key,
    id           uuid        not null default gen_random_uuid(),
    account_id   uuid        not null references accounts,
    device       text        not null default '',
    expires_at   timestamptz not null,
    created_at   timestamptz not null default now(),
    last_seen_at timestamptz not null default now(),
    confirmed_at timestamptz not null default now(),

    constraint sessions_id_key unique (id),
    constraint sessions_token_hash_length check (length(token_hash) = 32),
    constraint sessions_device_length check (length(device) <= 80)
);

create index sessions_account_id on sessions (account_id);
create index sessions_expires_at on sessions (expires_at);

-- What the instances of one deployment must agree on and nobody configured, such
-- as the key that signs entry passes.
create table secrets (
    name  text  primary key,
    value bytea not null
);
