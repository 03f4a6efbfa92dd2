-- Runs of `stagedoor verify`, so that the pages of administrators show its last word. The program keeps the newest
-- hundred.

create table verifications (
    -- In the order of the runs' ends.
    id           uuid        primary key,
    began_at     timestamptz not null,
    took_ms      bigint      not null,
    -- Invariants that were checked.
    n_checks     integer     not null,
    n_violations integer     not null,
    -- Codes of the broken invariants, as docs/INVARIANTS.md has them, each once.
    broken       text[]      not null,

    constraint verifications_not_negative check (took_ms >= 0 and n_checks > 0 and n_violations >= 0),
    constraint verifications_broken_are_named check (
        (cardinality(broken) = 0) = (n_violations = 0) and cardinality(broken) <= least(n_checks, n_violations))
);
