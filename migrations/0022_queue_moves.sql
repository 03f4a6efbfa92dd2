-- What moved a line, beside the joins: the entries of the program's second public log. Triggers write
-- them, so that no statement can move a line unseen.

create table queue_moves (
    id          bigint      primary key generated always as identity,
    program_id  uuid        not null references programs,
    -- Transaction that moved the line. Entries are published in the order of their transactions, as
    -- soon as no older one can still commit.
    transaction xid8        not null default pg_current_xact_id(),
    -- ADMITTED by the gate; LET_IN past it by staff; PARKED, as the account was silent; RETURNED from
    -- there; LEFT, also in a purge; PURGE of all numbers up to `queue_number`; RULES of the gate.
    kind        text        not null,
    queue_number bigint,
    -- Reason of staff, or the rules, as JSON; null elsewhere.
    detail      text,
    moved_at    timestamptz not null default clock_timestamp(),
    -- Index in the log; null until it is published.
    leaf_index  bigint,

    constraint queue_moves_kind_known
        check (kind in ('ADMITTED', 'LET_IN', 'PARKED', 'RETURNED', 'LEFT', 'PURGE', 'RULES')),
    constraint queue_moves_rules_have_no_number check ((kind = 'RULES') = (queue_number is null)),
    constraint queue_moves_detail_is_one_line check (detail !~ E'[\\n\\r]')
);

-- Moves to be published, in their order.
create index queue_moves_waiting on queue_moves (program_id, transaction, id)
    where leaf_index is null;
-- Published entries.
create unique index queue_moves_published on queue_moves (program_id, leaf_index)
    where leaf_index is not null;

create trigger queue_moves_append_only
    before update on queue_moves
    for each row when ((new.id, new.program_id, new.transaction, new.kind, new.moved_at)
            is distinct from (old.id, old.program_id, old.transaction, old.kind, old.moved_at)
        or (new.queue_number, new.detail) is distinct from (old.queue_number, old.detail)
        or old.leaf_index is not null)
    execute function refuse_change();
create trigger queue_moves_not_deleted
    before delete on queue_moves
    for each row when (not is_throwaway(old.program_id)) execute function refuse_change();
create trigger queue_moves_kept
    before truncate on queue_moves
    for each statement execute function refuse_change();

alter table queue_logs drop constraint queue_logs_kind_known;
-- MOVES: what moved the line.
alter table queue_logs add constraint queue_logs_kind_known check (kind in ('JOINS', 'MOVES'));

-- Why staff let somebody in past the gate. It is public.
alter table queue_tokens add column let_in_reason text;

create function log_token_move() returns trigger language plpgsql as $$
begin
    insert into queue_moves (program_id, queue_number, kind, detail)
    values (new.program_id, new.queue_number,
        case
            when new.status = 'ACTIVE' and new.let_in_by is null then 'ADMITTED'
            when new.status = 'ACTIVE' then 'LET_IN'
            when new.status <> 'WAITING' then 'LEFT'
            when new.parked_at is not null then 'PARKED'
            else 'RETURNED'
        end,
        case when new.status = 'ACTIVE' then to_json(new.let_in_reason)::text end);
    return null;
end
$$;
create trigger queue_tokens_moves_logged
    after update of status, parked_at on queue_tokens
    for each row when (old.status = 'WAITING' and (new.status <> 'WAITING'
        or (new.parked_at is null) <> (old.parked_at is null)))
    execute function log_token_move();

create function log_purge() returns trigger language plpgsql as $$
begin
    insert into queue_moves (program_id, queue_number, kind)
    values (new.program_id, new.up_to, 'PURGE');
    return null;
end
$$;
create trigger queue_purges_logged
    after insert or update of begun_at on queue_purges
    for each row execute function log_purge();

create function log_rules() returns trigger language plpgsql as $$
begin
    insert into queue_moves (program_id, kind, detail)
    values (new.id, 'RULES', json_build_object('capacity', new.queue_capacity,
        'per_second', new.queue_rate_per_second, 'paused', new.queue_paused_at is not null)::text);
    return null;
end
$$;
create trigger programs_first_rules_logged
    after insert on programs
    for each row execute function log_rules();
create trigger programs_rules_logged
    after update of queue_capacity, queue_rate_per_second, queue_paused_at on programs
    for each row when ((new.queue_capacity, new.queue_rate_per_second, new.queue_paused_at is null)
        is distinct from
        (old.queue_capacity, old.queue_rate_per_second, old.queue_paused_at is null))
    execute function log_rules();

-- The second log of an older program begins with the rules that it has now.
insert into queue_moves (program_id, kind, detail)
select id, 'RULES', json_build_object('capacity', queue_capacity,
    'per_second', queue_rate_per_second, 'paused', queue_paused_at is not null)::text
from programs
order by id;
