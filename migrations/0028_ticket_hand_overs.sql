-- Hand-overs: the holder of a ticket offers it to somebody, who accepts or declines.
--
-- `tickets.account_id` is a ticket's holder: whoever paid for it, and after an accepted hand-over its
-- recipient. Tickets of earlier versions are with whoever paid, so no row has to change. The row of a
-- ticket guards its hand-overs: whoever makes, answers or ends one locks the ticket first.
create table ticket_hand_overs (
    id           uuid        primary key,
    ticket_id    uuid        not null references tickets,
    sender_id    uuid        not null references accounts,
    -- Account that had the address when the offer was made. Null: none had. Nobody can answer such an
    -- offer, and its sender is told nothing else than of any other.
    recipient_id uuid        references accounts,
    -- Address as the sender typed it, shown to the sender alone, and gone when the hand-over ends.
    address      text,
    status       text        not null default 'PENDING',
    -- Fixed when the offer is made: never later than the start that the performance had then.
    expires_at   timestamptz not null,
    settled_at   timestamptz,
    created_at   timestamptz not null default clock_timestamp(),

    -- ADMITTED: the sender was let in with the ticket meanwhile. VOIDED: the ticket was refunded.
    constraint ticket_hand_overs_status_known
        check (status in ('PENDING', 'ACCEPTED', 'DECLINED', 'CANCELLED', 'EXPIRED', 'ADMITTED',
                          'VOIDED')),
    constraint ticket_hand_overs_settled_has_its_time
        check ((status = 'PENDING') = (settled_at is null)),
    constraint ticket_hand_overs_address_while_pending
        check ((status = 'PENDING') = (address is not null)),
    constraint ticket_hand_overs_answered_by_somebody
        check (status not in ('ACCEPTED', 'DECLINED') or recipient_id is not null),
    constraint ticket_hand_overs_between_two_accounts check (sender_id <> recipient_id),
    constraint ticket_hand_overs_address_length check (length(address) between 3 and 254)
);

-- A ticket is offered to one person at a time.
create unique index ticket_hand_overs_pending_key on ticket_hand_overs (ticket_id)
    where status = 'PENDING' and ticket_id is not null;
-- All hand-overs of one ticket, and those of one account, newest first.
create index ticket_hand_overs_ticket_id on ticket_hand_overs (ticket_id, id desc);
create index ticket_hand_overs_sender_id on ticket_hand_overs (sender_id, id desc);
create index ticket_hand_overs_recipient_id on ticket_hand_overs (recipient_id, id desc);
-- Pending ones: those that have expired, for a worker; those that one account offers; those that wait
-- for one account's answer. Each condition is stated by its own statements only, for the reason given
-- at `schedule_seats_available`.
create index ticket_hand_overs_pending on ticket_hand_overs (expires_at, id)
    where status = 'PENDING' and settled_at is null;
create index ticket_hand_overs_pending_sender on ticket_hand_overs (sender_id, id)
    where status = 'PENDING' and sender_id is not null;
create index ticket_hand_overs_pending_recipient on ticket_hand_overs (recipient_id, id)
    where status = 'PENDING' and recipient_id is not null;

-- Refuses a change of a hand-over that has ended.
create function refuse_second_end() returns trigger language plpgsql as $$
begin
    raise exception 'hand-over % has ended', old.id
        using errcode = 'integrity_constraint_violation', constraint = 'ticket_hand_overs_end_once';
end
$$;

create trigger ticket_hand_overs_end_once
    before update on ticket_hand_overs
    for each row when (old.status <> 'PENDING') execute function refuse_second_end();

-- Changes of a ticket's holder, one for each accepted hand-over: who had a ticket, and until when.
-- Append-only.
create table ticket_holder_changes (
    hand_over_id uuid        primary key references ticket_hand_overs,
    ticket_id    uuid        not null references tickets,
    -- Number of the change within its ticket, from 1.
    number       integer     not null,
    -- SHA-256 of the code that was void from then on: the door says what became of it, and no ticket
    -- gets it again.
    code_hash    bytea       not null,
    changed_at   timestamptz not null default clock_timestamp(),

    constraint ticket_holder_changes_ticket_id_number_key unique (ticket_id, number),
    constraint ticket_holder_changes_code_hash_key unique (code_hash),
    constraint ticket_holder_changes_number_positive check (number > 0),
    constraint ticket_holder_changes_code_hash_length check (length(code_hash) = 32)
);

-- Refuses the removal of a change, except with the rehearsal that its ticket belongs to.
create function refuse_removal_of_holder_change() returns trigger language plpgsql as $$
begin
    if exists (
        select from tickets t
        join reservation_items i on i.id = t.reservation_item_id
        join reservations r on r.id = i.reservation_id
        where t.id = old.ticket_id and is_throwaway(r.program_id))
    then
        return old;
    end if;
    raise exception 'ticket_holder_changes is append-only'
        using errcode = 'integrity_constraint_violation';
end
$$;

create trigger ticket_holder_changes_append_only
    before update on ticket_holder_changes
    for each row execute function refuse_change();
create trigger ticket_holder_changes_not_deleted
    before delete on ticket_holder_changes
    for each row execute function refuse_removal_of_holder_change();
create trigger ticket_holder_changes_kept
    before truncate on ticket_holder_changes
    for each statement execute function refuse_change();

-- Refuses another holder without another code, and another code without another holder. Only a valid
-- ticket changes hands.
create function refuse_holder_with_old_code() returns trigger language plpgsql as $$
begin
    raise exception 'ticket % changes hands with a new code while it is valid, and not otherwise', old.id
        using errcode = 'integrity_constraint_violation',
            constraint = 'tickets_new_holder_has_new_code';
end
$$;

create trigger tickets_new_holder_has_new_code
    before update of account_id, code on tickets
    for each row
    when ((old.account_id <> new.account_id or old.code <> new.code)
        and not (old.account_id <> new.account_id and old.code <> new.code
            and old.status = 'VALID' and new.status = 'VALID'))
    execute function refuse_holder_with_old_code();
