-- Second factor of log-ins: the secret of an authenticator app, recovery codes, and log-ins whose
-- password was right and whose code is still to come.

-- Whether the account is one of the demo data, whose password everybody knows. An office that only
-- this machine reaches asks such an administrator for no second factor.
alter table accounts add column is_demo boolean not null default false;

-- When a code of the second factor was last given in the session; null: never. A session without
-- one, or with one from before the factor was set, does not count.
alter table sessions add column code_given_at timestamptz;

create table second_factors (
    account_id    uuid        primary key references accounts,
    -- Nonce, encrypted secret and tag. The account's id is authenticated with them.
    sealed_secret bytea       not null,
    -- Step of 30 seconds of the last code that was accepted. The next one must be of a later step.
    last_step     bigint      not null,
    set_at        timestamptz not null default clock_timestamp(),

    constraint second_factors_sealed_secret_length check (length(sealed_secret) = 48)
);

-- Codes for whoever lost the authenticator app. Each works once; new ones replace all old ones.
create table recovery_codes (
    account_id uuid        not null references second_factors on delete cascade,
    -- SHA-256 of the account's id and the code, which has 80 random bits.
    code_hash  bytea       not null,
    used_at    timestamptz,

    constraint recovery_codes_pkey primary key (account_id, code_hash),
    constraint recovery_codes_code_hash_length check (length(code_hash) = 32)
);

-- Log-ins between the password and the code. They open nothing but the page that asks for the code.
create table pending_log_ins (
    -- SHA-256 of the cookie's value.
    token_hash    bytea       primary key,
    account_id    uuid        not null references accounts,
    -- Hash that the password was compared with. The log-in is over if the account has another one.
    password_hash text        not null,
    device        text        not null default '',
    -- Codes that were tried.
    tries         integer     not null default 0,
    expires_at    timestamptz not null,

    constraint pending_log_ins_token_hash_length check (length(token_hash) = 32),
    constraint pending_log_ins_device_length check (length(device) <= 80),
    constraint pending_log_ins_tries_not_negative check (tries >= 0)
);

-- The pending log-ins of one account.
create index pending_log_ins_account_id on pending_log_ins (account_id);
-- Old ones, to be deleted.
create index pending_log_ins_expires_at on pending_log_ins (expires_at);
