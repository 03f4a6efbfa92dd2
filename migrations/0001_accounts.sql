-- Accounts: who may log in, and the sessions of those who have.
--
-- Sessions are kept here and not in Redis, so that a lost Redis logs nobody out. Only the
-- SHA-256 of a session cookie's value is kept, so a copy of this database opens no session.

-- True for ids that a rehearsal made: those are UUIDs of version 8, and the product makes no
-- others of that version.
create function is_throwaway(id uuid) returns boolean language sql immutable parallel safe
    return substr(id::text, 15, 1) = '8';

-- People who may log in: customers, staff and administrators.
create table accounts (
    id            uuid        primary key,
    email         text        not null,
    name          text        not null,
    password_hash text        not null,
    role          text        not null default 'CUSTOMER',
    -- Null: not locked. A locked account cannot log in.
    locked_at     timestamptz,
    created_at    timestamptz not null default now(),

    constraint accounts_role_known check (role in ('CUSTOMER', 'STAFF', 'ADMIN')),
    constraint accounts_email_length check (length(email) between 3 and 254),
    constraint accounts_email_folded check (email = translate(
        email, 'ABCDEFGHIJKLMNOPQRSTUVWXYZ', 'abcdefghijklmnopqrstuvwxyz')),
    constraint accounts_name_length check (length(name) between 1 and 80)
);

-- One account per e-mail address, however its owner types it. The program folds the address
-- (case, width and the script of the host name) before it writes it. PostgreSQL folds nothing,
-- because two implementations of folding do not agree on every letter.
create unique index accounts_email_key on accounts (email);

-- Administrators search people by the beginning of their address, of their name, or of its last
-- word. `text_pattern_ops` compares bytes, so the search works in any collation.
create index accounts_email_beginning on accounts (email text_pattern_ops);
create index accounts_name_beginning on accounts (lower(name) text_pattern_ops);
create index accounts_last_name_beginning on accounts (lower(substring(name from '[^ ]*$')) text_pattern_ops);

-- Log-ins that have not ended. The row of an ended session is deleted.
create table sessions (
    -- SHA-256 of the cookie's value.
    token_hash   bytea       primary key,
    -- Names the session in the owner's list of devices; grants no access.
    id           uuid        not null default gen_random_uuid(),
    account_id   uuid        not null references accounts,
    device       text        not null default '',
    expires_at   timestamptz not null,
    created_at   timestamptz not null default now(),
    -- Time of a recent request, not of each one; an unused session ends early.
    last_seen_at timestamptz not null default now(),
    -- When the owner last entered the password.
    confirmed_at timestamptz not null default now(),

    constraint sessions_id_key unique (id),
    constraint sessions_token_hash_length check (length(token_hash) = 32),
    constraint sessions_device_length check (length(device) <= 80)
);

-- The sessions of one account.
create index sessions_account_id on sessions (account_id);
-- Expired sessions, for the worker that deletes them.
create index sessions_expires_at on sessions (expires_at);

-- Secrets that the instances of one deployment share when no setting gives them, such as the key
-- that signs entry passes.
create table secrets (
    name  text  primary key,
    value bytea not null
);
