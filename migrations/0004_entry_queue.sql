-- The line of each program: who came when, and who was let in.
--
-- `queue_numbers` is the one row every join of a program locks (`for update`;
-- nothing refers to it), `queue_gates` the one row every admission locks. Redis
-- holds a copy of the order for polling; what stands here decides.
create table queue_numbers (
    program_id  uuid   primary key references programs,
    next_number bigint not null default 1,

    constraint queue_numbers_next_number_positive check (next_number >= 1)
);

create table queue_gates (
    program_id  uuid             primary key references programs,
    -- The rate's bucket: how many may be let in at `refilled_at`.
    bucket      double precision not null default 0,
    refilled_at timestamptz      not null default clock_timestamp()
);

create table queue_tokens (
    id            uuid        primary key,
    program_id    uuid        not null references programs,
    account_id    uuid        not null references accounts,
    queue_number  bigint      not null,
    status        text        not null default 'WAITING',
    issued_at     timestamptz not null default clock_timestamp(),
    -- Not seen when the turn came: passed over, the number kept.
    parked_at     timestamptz,
    admitted_at   timestamptz,
    -- Fixed at admission. No hold starts later.
    stay_ends_at  timestamptz,
    -- The later of the stay's end and its holds' ends.
    expires_at    timestamptz,
    ended_at      timestamptz,
    -- The member of staff who let this person in past the line.
    let_in_by     uuid        references accounts,
    -- How many were inside after this admission, and the capacity then.
    inside_after  integer,
    capacity_then integer,
    -- Names the network of whoever joined, where a program limits those: a keyed digest.
    network_tag   bigint,

    constraint queue_tokens_program_id_queue_number_key unique (program_id, queue_number),
    constraint queue_tokens_status_known
        check (status in ('WAITING', 'ACTIVE', 'COMPLETED', 'CANCELLED', 'EXPIRED')),
    constraint queue_tokens_active_has_an_end
        check (status <> 'ACTIVE' or (admitted_at is not null and stay_ends_at is not null
                                      and expires_at >= stay_ends_at))
);

-- A line as it was when a minute began: what the desk's charts are drawn from, for two
-- hours. Counting a million tokens again for each look would not do.
create table queue_minutes (
    program_id uuid        not null references programs on delete cascade,
    minute     timestamptz not null,
    -- How many numbers had been given.
    joined     bigint      not null,
    waiting    bigint      not null,

    primary key (program_id, minute),
    constraint queue_minutes_not_negative check (joined >= 0 and waiting >= 0)
);

-- One live place per person and program.
create unique index queue_tokens_live_key on queue_tokens (program_id, account_id)
    where status in ('WAITING', 'ACTIVE');
-- The line in order; whoever is parked stands beside it.
create index queue_tokens_waiting on queue_tokens (program_id, queue_number)
    where status = 'WAITING' and parked_at is null;
-- Those who stand beside the line; few, and a join never touches it.
create index queue_tokens_parked on queue_tokens (program_id, queue_number)
    where status = 'WAITING' and parked_at is not null;
-- Who is inside, and whose stay ends first.
create index queue_tokens_active on queue_tokens (program_id, expires_at) where status = 'ACTIVE';
-- The latest place of one person, also when it has ended.
create index queue_tokens_account on queue_tokens (account_id, program_id, queue_number desc);
-- How fast places were freed lately.
create index queue_tokens_ended on queue_tokens (program_id, ended_at)
    where ended_at is not null and admitted_at is not null;
-- How fast people were let in lately.
create index queue_tokens_admitted on queue_tokens (program_id, admitted_at)
    where admitted_at is not null;

-- An administrator's word that the line goes, up to a number: the latest of each program.
-- The workers do it in batches, whoever watches; what is left is read from the tokens.
create table queue_purges (
    program_id uuid        primary key references programs,
    up_to      bigint      not null,
    -- How many waited when it began: what its progress is measured by.
    total      bigint      not null,
    begun_at   timestamptz not null default clock_timestamp(),
    ended_at   timestamptz,

    constraint queue_purges_total_not_negative check (total >= 0)
);

-- What is left to do.
create index queue_purges_running on queue_purges (program_id) where ended_at is null;

-- How many accounts of one network have had a number.
create index queue_tokens_network on queue_tokens (program_id, network_tag, account_id)
    where network_tag is not null;

-- Waits in place of work: one of each account, those of one network one behind the other.
create table queue_waits (
    program_id  uuid        not null references programs on delete cascade,
    account_id  uuid        not null references accounts on delete cascade,
    network_tag bigint      not null,
    ready_at    timestamptz not null,

    primary key (program_id, account_id)
);

create index queue_waits_network on queue_waits (program_id, network_tag, ready_at);

-- What the guards against hoarding did, for the desk.
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
