-- Public log of each queue's joins: leaf n - 1 of its tree is made of the token with queue number n.
-- The tokens are the entries. Heads and tiles are made of them by workers, after the commit, and
-- never change what they said before.

-- Binds the token to its owner's receipt without naming either: SHA-256 of a secret salt and the
-- token's id. Null only until a worker adds it to a token of an older version's.
alter table queue_tokens add column commitment bytea;
alter table queue_tokens add constraint queue_tokens_commitment_length
    check (length(commitment) = 32) not valid;
alter table queue_tokens validate constraint queue_tokens_commitment_length;

-- What the log says of a token stays as it is.
create trigger queue_tokens_entry_kept
    before update of queue_number, issued_at, commitment on queue_tokens
    for each row when (new.queue_number <> old.queue_number or new.issued_at <> old.issued_at
        or new.commitment is distinct from old.commitment and old.commitment is not null)
    execute function refuse_change();

create table queue_logs (
    program_id   uuid        not null references programs,
    -- JOINS: who came, in order.
    kind         text        not null,
    -- Name, id and public key, as a signed note's verifier key. The name is also the log's origin.
    verifier_key text        not null,
    -- Entries in the tree of the checkpoint.
    size         bigint      not null default 0,
    -- Size and root as a signed note; null until there is an entry.
    checkpoint   text,
    made_at      timestamptz not null default clock_timestamp(),

    primary key (program_id, kind),
    constraint queue_logs_kind_known check (kind in ('JOINS')),
    constraint queue_logs_verifier_key_key unique (verifier_key),
    constraint queue_logs_size_not_negative check (size >= 0),
    constraint queue_logs_checkpoint_of_entries check ((size = 0) = (checkpoint is null))
);

-- Hashes of the trees, 256 in a full tile.
create table queue_log_tiles (
    program_id uuid     not null,
    kind       text     not null,
    -- 0: hashes of entries; above: hashes of full tiles of the level below.
    level      smallint not null,
    number     bigint   not null,
    hashes     bytea    not null,

    primary key (program_id, kind, level, number),
    constraint queue_log_tiles_of_log foreign key (program_id, kind) references queue_logs,
    constraint queue_log_tiles_place check (level between 0 and 7 and number >= 0),
    constraint queue_log_tiles_of_whole_hashes
        check (length(hashes) % 32 = 0 and length(hashes) between 32 and 8192)
);

-- A log only grows. A rehearsal deletes its own.
create trigger queue_logs_only_grow
    before update on queue_logs
    for each row when (new.program_id <> old.program_id or new.kind <> old.kind
        or new.verifier_key <> old.verifier_key
        or new.size < old.size or new.size = old.size and new.checkpoint <> old.checkpoint)
    execute function refuse_change();
create trigger queue_logs_not_deleted
    before delete on queue_logs
    for each row when (not is_throwaway(old.program_id)) execute function refuse_change();
create trigger queue_log_tiles_only_grow
    before update on queue_log_tiles
    for each row when ((new.program_id, new.kind, new.level, new.number)
            is distinct from (old.program_id, old.kind, old.level, old.number)
        or substring(new.hashes for length(old.hashes)) <> old.hashes)
    execute function refuse_change();
create trigger queue_log_tiles_not_deleted
    before delete on queue_log_tiles
    for each row when (not is_throwaway(old.program_id)) execute function refuse_change();
create trigger queue_logs_kept
    before truncate on queue_logs
    for each statement execute function refuse_change();
create trigger queue_log_tiles_kept
    before truncate on queue_log_tiles
    for each statement execute function refuse_change();
