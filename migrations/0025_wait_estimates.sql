-- What waits are estimated from, beside the stays and admissions of the last minutes; and how good the
-- estimates were.

-- Accounts that left the line before their turn: whoever stands behind them waits less.
create index queue_tokens_left on queue_tokens (program_id, ended_at)
    where ended_at is not null and admitted_at is null;
-- Passed over, returned, and changed rules, by time. Admissions, which are many, are not in it.
create index queue_moves_recent on queue_moves (program_id, moved_at)
    where kind in ('PARKED', 'RETURNED', 'RULES');

-- Estimated waits of some places in each line, as whoever stood there was told, and the waits that
-- followed. They are kept for a day.
create table wait_estimates (
    token_id       uuid        not null references queue_tokens on delete cascade,
    program_id     uuid        not null references programs on delete cascade,
    -- Minute of the estimate: instances estimate each place once.
    minute         timestamptz not null,
    estimated_at   timestamptz not null default clock_timestamp(),
    estimated_secs bigint      not null,
    -- From the estimate to the admission; null until then.
    waited_secs    double precision,
    -- When that was written.
    compared_at    timestamptz,

    primary key (token_id, minute),
    constraint wait_estimates_positive check (estimated_secs > 0 and waited_secs >= 0),
    constraint wait_estimates_compared check ((waited_secs is null) = (compared_at is null))
);
-- Estimates whose waits have not ended.
create index wait_estimates_open on wait_estimates (program_id, token_id)
    where waited_secs is null;
-- Comparisons of the last hour.
create index wait_estimates_compared on wait_estimates (program_id, compared_at)
    where compared_at is not null;
-- What has been kept long enough.
create index wait_estimates_old on wait_estimates (estimated_at);
