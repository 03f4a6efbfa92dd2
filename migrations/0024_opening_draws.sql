-- Opening draws: the order of those who come before the sale opens is drawn, and everybody can draw it
-- again. The announcement commits to a secret seed and to a future round of a public beacon; the
-- opening closes the entries; then seed and beacon are revealed, and the numbers follow from all three.

-- What a draw commits to: a sale that is drawn opens when it was announced to.
alter table programs add constraint programs_id_on_sale_at_key unique (id, on_sale_at);

create table queue_draws (
    program_id        uuid        primary key,
    opens_at          timestamptz not null,
    -- With the secret of the logs, and with nothing else, it makes the seed.
    nonce             bytea       not null,
    -- SHA-256 of the seed.
    commitment        bytea       not null,
    announced_at      timestamptz not null default clock_timestamp(),

    -- Beacon: a chain of drand, as it was known at the announcement, and one of its rounds. All null:
    -- the seed alone decides.
    chain_hash        bytea,
    chain_key         bytea,
    chain_genesis_at  timestamptz,
    chain_period_secs integer,
    beacon_round      bigint,

    -- The entries are closed: their number, and the root of the Merkle tree over them.
    closed_at         timestamptz,
    entries           bigint,
    head              bytea,

    -- What was secret is revealed: the seed, and the signature of the beacon's round.
    revealed_at       timestamptz,
    seed              bytea,
    beacon_signature  bytea,
    -- Why an administrator left out a beacon that did not come. It is public.
    omission_reason   text,

    -- Numbers given so far, and when the last was.
    numbered          bigint      not null default 0,
    numbered_at       timestamptz,

    step text not null generated always as (case
        when numbered_at is not null then 'DRAWN'
        when revealed_at is not null then 'REVEALED'
        when closed_at is not null then 'CLOSED'
        else 'OPEN' end) stored,

    constraint queue_draws_opens_with_sale
        foreign key (program_id, opens_at) references programs (id, on_sale_at),
    constraint queue_draws_lengths check (length(nonce) = 32 and length(commitment) = 32
        and length(chain_hash) = 32 and length(chain_key) = 96 and length(head) = 32
        and length(beacon_signature) = 48),
    constraint queue_draws_beacon_whole check (num_nulls(
        chain_hash, chain_key, chain_genesis_at, chain_period_secs, beacon_round) in (0, 5)),
    constraint queue_draws_beacon_in_future check (chain_period_secs > 0 and beacon_round > 0
        and chain_genesis_at + (beacon_round - 1) * chain_period_secs * interval '1 second'
            >= opens_at),
    constraint queue_draws_closed_whole
        check (num_nulls(closed_at, entries, head) in (0, 3) and entries >= 0),
    constraint queue_draws_closed_after_opening check (closed_at >= opens_at),
    constraint queue_draws_revealed_whole check ((revealed_at is null) = (seed is null)),
    constraint queue_draws_revealed_after_close check (revealed_at is null or closed_at is not null),
    constraint queue_draws_seed_is_committed check (sha256(seed) = commitment),
    constraint queue_draws_beacon_or_reason check (case
        when revealed_at is null or beacon_round is null
            then beacon_signature is null and (omission_reason is null or beacon_round is not null)
        else (beacon_signature is null) <> (omission_reason is null) end),
    -- OMISSION_AFTER_SECS in src/entry_queue/draw/model.rs
    constraint queue_draws_omission_late
        check (omission_reason is null or revealed_at >= closed_at + interval '1 hour'),
    constraint queue_draws_numbered_range check (numbered between 0 and coalesce(entries, 0)),
    constraint queue_draws_numbered_after_reveal check (revealed_at is not null or numbered = 0),
    constraint queue_draws_drawn_whole
        check (numbered_at is null or revealed_at is not null and numbered = entries)
);

-- Draws that are not over.
create index queue_draws_pending on queue_draws (opens_at) where numbered_at is null;

-- Entries of a draw. The id becomes that of the token, so the commitment is the token's too.
create table queue_draw_entries (
    id          uuid        primary key,
    program_id  uuid        not null references queue_draws,
    account_id  uuid        not null references accounts,
    -- SHA-256 of a secret salt and the id. Its order is the order of the leaves.
    commitment  bytea       not null,
    entered_at  timestamptz not null default clock_timestamp(),
    -- As of a queue token.
    network_tag bigint,

    constraint queue_draw_entries_account_id_program_id_key unique (account_id, program_id),
    constraint queue_draw_entries_program_id_commitment_key unique (program_id, commitment),
    constraint queue_draw_entries_commitment_length check (length(commitment) = 32)
);

-- Accounts of one network that have an entry.
create index queue_draw_entries_network on queue_draw_entries (program_id, network_tag, account_id)
    where network_tag is not null;

-- A step is never taken back, and what was announced never changes. A draft's draw may be deleted.
create function keep_draw() returns trigger language plpgsql as $$
begin
    if (new.program_id, new.opens_at, new.nonce, new.commitment, new.announced_at, new.chain_hash,
            new.chain_key, new.chain_genesis_at, new.chain_period_secs, new.beacon_round)
        is distinct from
        (old.program_id, old.opens_at, old.nonce, old.commitment, old.announced_at, old.chain_hash,
            old.chain_key, old.chain_genesis_at, old.chain_period_secs, old.beacon_round)
        or old.closed_at is not null
            and (new.closed_at, new.entries, new.head)
                is distinct from (old.closed_at, old.entries, old.head)
        or old.revealed_at is not null
            and (new.revealed_at, new.seed, new.beacon_signature, new.omission_reason)
                is distinct from
                (old.revealed_at, old.seed, old.beacon_signature, old.omission_reason)
        or old.omission_reason is not null and new.omission_reason is distinct from old.omission_reason
        or new.numbered < old.numbered
        or old.numbered_at is not null and new.numbered_at is distinct from old.numbered_at
    then
        raise exception 'draw %: what was announced or done does not change', old.program_id
            using errcode = 'restrict_violation', constraint = 'queue_draws_kept';
    end if;
    return new;
end
$$;
create trigger queue_draws_kept
    before update on queue_draws
    for each row execute function keep_draw();
create trigger queue_draws_not_deleted
    before delete on queue_draws
    for each row when (old.closed_at is not null) execute function refuse_change();
create trigger queue_draws_not_truncated
    before truncate on queue_draws
    for each statement execute function refuse_change();

-- Entries come and go while the draw is open. The lock makes the close wait for them, and them for it.
create function keep_closed_entries() returns trigger language plpgsql as $$
declare
    draw uuid := case tg_op when 'INSERT' then new.program_id else old.program_id end;
begin
    perform from queue_draws where program_id = draw and closed_at is null for share;
    if not found then
        raise exception 'draw %: its entries are closed', draw
            using errcode = 'restrict_violation', constraint = 'queue_draw_entries_open';
    end if;
    return case tg_op when 'INSERT' then new else old end;
end
$$;
create trigger queue_draw_entries_open
    before insert or delete on queue_draw_entries
    for each row execute function keep_closed_entries();
create trigger queue_draw_entries_kept
    before update on queue_draw_entries
    for each row execute function refuse_change();
create trigger queue_draw_entries_not_truncated
    before truncate on queue_draw_entries
    for each statement execute function refuse_change();
