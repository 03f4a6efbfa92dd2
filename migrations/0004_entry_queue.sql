-- The queue of each program: order of arrival, admission and stays.
--
-- PostgreSQL decides. Redis has a copy of the order, from which polls are answered.

-- Next queue number of each program. Every join locks its program's row (`for update`; no foreign
-- key refers to this table).
create table queue_numbers (
    program_id  uuid   primary key references programs,
    next_number bigint not null default 1,

    constraint queue_numbers_next_number_positive check (next_number >= 1)
);

-- Token bucket that limits the rate of admissions. Every admission locks its program's row.
create table queue_gates (
    program_id  uuid             primary key references programs,
    -- Number of people who could be admitted at `refilled_at`.
    bucket      double precision not null default 0,
    refilled_at timestamptz      not null default clock_timestamp()
);

-- Places in the queue: one account's way through one program's queue, from the join to the end.
create table queue_tokens (
    id            uuid        primary key,
    program_id    uuid        not null references programs,
    account_id    uuid        not null references accounts,
    -- Order of arrival, from 1.
    queue_number  bigint      not null,
    status        text        not null default 'WAITING',
    issued_at     timestamptz not null default clock_timestamp(),
    -- Set while the account is passed over because it was silent when its number came up. It keeps
    -- the number.
    parked_at     timestamptz,
    admitted_at   timestamptz,
    -- Fixed at admission. No hold starts at or after it.
    stay_ends_at  timestamptz,
    -- End of the stay or of its last hold, whichever is later.
    expires_at    timestamptz,
    -- When the token took its last status: COMPLETED, CANCELLED or EXPIRED.
    ended_at      timestamptz,
    -- Administrator who admitted this account out of order; null: the gate did.
    let_in_by     uuid        references accounts,
    -- People inside after this admission, and the capacity at that time, for `stagedoor verify`.
    inside_after  integer,
    capacity_then integer,
    -- Keyed digest of the network that the join came from. Null unless the program limits joins per
    -- network.
    network_tag   bigint,

    constraint queue_tokens_program_id_queue_number_key unique (program_id, queue_number),
    constraint queue_tokens_status_known
        check (status in ('WAITING', 'ACTIVE', 'COMPLETED', 'CANCELLED', 'EXPIRED')),
    constraint queue_tokens_active_has_an_end
        check (status <> 'ACTIVE' or (admitted_at is not null and stay_ends_at is not null
                                      and expires_at >= stay_ends_at))
);

-- Length of each queue at the beginning of a minute, kept for two hours. The administrators' charts
-- are drawn from it, because counting a million tokens for each view would be too slow.
create table queue_minutes (
    program_id uuid        not null references programs on delete cascade,
    minute     timestamptz not null,
    -- Queue numbers given so far.
    joined     bigint      not null,
    waiting    bigint      not null,

    primary key (program_id, minute),
    constraint queue_minutes_not_negative check (joined >= 0 and waiting >= 0)
);

-- One live token per account and program.
create unique index queue_tokens_live_key on queue_tokens (program_id, account_id)
    where status in ('WAITING', 'ACTIVE');
-- Waiting tokens in order, without the parked ones.
create index queue_tokens_waiting on queue_tokens (program_id, queue_number)
    where status = 'WAITING' and parked_at is null;
-- Parked tokens in order. There are few, and a join does not write to this index.
create index queue_tokens_parked on queue_tokens (program_id, queue_number)
    where status = 'WAITING' and parked_at is not null;
-- People inside, and those of them whose stay ends first.
create index queue_tokens_active on queue_tokens (program_id, expires_at) where status = 'ACTIVE';
-- The latest token of one account, also when it has ended.
create index queue_tokens_account on queue_tokens (account_id, program_id, queue_number desc);
-- Stays that ended lately: the rate at which places become free.
create index queue_tokens_ended on queue_tokens (program_id, ended_at)
    where ended_at is not null and admitted_at is not null;
-- Admissions of the last minutes: the rate of admission.
create index queue_tokens_admitted on queue_tokens (program_id, admitted_at)
    where admitted_at is not null;

-- Orders of an administrator to clear a queue up to a number; only the latest of each program is
-- kept. A worker cancels the tokens in batches. Its progress is counted from the tokens.
create table queue_purges (
    program_id uuid        primary key references programs,
    up_to      bigint      not null,
    -- People who were waiting when the purge began; progress is shown as a share of it.
    total      bigint      not null,
    begun_at   timestamptz not null default clock_timestamp(),
    ended_at   timestamptz,

    constraint queue_purges_total_not_negative check (total >= 0)
);

-- Purges that have not ended.
create index queue_purges_running on queue_purges (program_id) where ended_at is null;

-- Accounts of one network that have had a number.
create index queue_tokens_network on queue_tokens (program_id, network_tag, account_id)
    where network_tag is not null;

-- Waits that replace the proof of work, for browsers that cannot do it. An account has at most one
-- in a program, and the waits of one network follow one another.
create table queue_waits (
    program_id  uuid        not null references programs on delete cascade,
    account_id  uuid        not null references accounts on delete cascade,
    network_tag bigint      not null,
    ready_at    timestamptz not null,

    primary key (program_id, account_id)
);

-- The last wait of one network.
create index queue_waits_network on queue_waits (program_id, network_tag, ready_at);

-- Joins and holds that each guard against hoarding refused or slowed down, for administrators.
create table queue_guard_effects (
    program_id uuid   not null references programs on delete cascade,
    guard      text   not null,
    refused    bigint not null,
    slowed     bigint not null,

    primary key (program_id, guard),
    constraint queue_guard_effects_guard_known
        check (guard in ('ACCOUNT_AGE', 'PROOF', 'ADDRESS', 'COOL_DOWN')),
    constraint queue_guard_effects_not_negative check (refused >= 0 and slowed >= 0)
);
