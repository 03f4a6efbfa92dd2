-- What witnesses of the public logs confirmed: somebody else, who signs a checkpoint only if it
-- continues the one signed before.

create table queue_log_witnesses (
    program_id    uuid        not null,
    kind          text        not null,
    -- Key of the witness: name, id and public key.
    witness       text        not null,
    -- Entries in the tree of the checkpoint that it cosigned last; 0: none.
    size          bigint      not null default 0,
    -- That checkpoint as the log signed it, and the witness's signature line; null: none.
    checkpoint    text,
    cosignature   text,
    -- When it signed, by its own clock.
    cosigned_at   timestamptz,
    -- When it was asked last. It is asked again after a pause, so that instances do not ask at once.
    asked_at      timestamptz not null default clock_timestamp(),
    -- Why there was no cosignature when it was asked last, and since when; null: there was one.
    fault         text,
    failing_since timestamptz,

    primary key (program_id, kind, witness),
    constraint queue_log_witnesses_of_log foreign key (program_id, kind) references queue_logs,
    -- A rehearsal removes its log, and no witness could follow.
    constraint queue_log_witnesses_not_of_rehearsals check (not is_throwaway(program_id)),
    constraint queue_log_witnesses_size_not_negative check (size >= 0),
    constraint queue_log_witnesses_cosigned_is_whole
        check (num_nulls(checkpoint, cosignature, cosigned_at) = case size when 0 then 3 else 0 end),
    -- AWAY: no answer. STRANGER: it does not know the log. AHEAD: it confirmed more than there is.
    -- FORKED: it confirmed another history. UNUSABLE: any other answer.
    constraint queue_log_witnesses_fault_known
        check (fault in ('AWAY', 'STRANGER', 'AHEAD', 'FORKED', 'UNUSABLE')),
    constraint queue_log_witnesses_fault_has_a_beginning
        check ((fault is null) = (failing_since is null))
);

-- What was confirmed stays confirmed.
create trigger queue_log_witnesses_only_grow
    before update on queue_log_witnesses
    for each row when ((new.program_id, new.kind, new.witness)
            is distinct from (old.program_id, old.kind, old.witness)
        or new.size < old.size or new.size = old.size and new.checkpoint <> old.checkpoint)
    execute function refuse_change();
