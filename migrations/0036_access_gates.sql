-- Access gates: a second way in for those who have redeemed an access code, with a capacity of its own. It
-- may open before the sale does.
--
-- There is one order of arrival. The program's gate admits everybody by number; an access gate admits,
-- by number among themselves, those whose tokens may use it. Whichever comes to a token first admits it.
create table access_gates (
    id         uuid        primary key,
    program_id uuid        not null references programs,
    -- From when on those who may use it join and are admitted; until the sale ends.
    opens_at   timestamptz not null,
    -- People it admits who are inside at once.
    capacity   integer     not null,
    created_at timestamptz not null default clock_timestamp(),

    -- Target of the composite keys in `sale_codes` and `queue_tokens`.
    constraint access_gates_id_program_id_key unique (id, program_id),
    constraint access_gates_capacity_positive check (capacity > 0)
);
-- The gates of a program, the one that opens first before the others.
create index access_gates_program_id on access_gates (program_id, opens_at);
create trigger access_gates_append_only
    before update or delete on access_gates
    for each row execute function refuse_change();
create trigger access_gates_kept
    before truncate on access_gates
    for each statement execute function refuse_change();

alter table sale_codes
    -- Gate that those may use who redeem it; null: none. One set of codes shares a gate.
    add column gate_id uuid,
    add constraint sale_codes_gate_of_program
        foreign key (gate_id, program_id) references access_gates (id, program_id),
    drop constraint sale_codes_access_opens_section,
    add constraint sale_codes_access_opens_something
        check (not is_access or num_nonnulls(section, gate_id) > 0 and uses_per_account_max is null),
    add constraint sale_codes_gate_of_access check (gate_id is null or is_access);
-- The codes with which a gate may be used.
create index sale_codes_gate_id on sale_codes (gate_id) where gate_id is not null;

create or replace function refuse_change_of_code() returns trigger language plpgsql as $$
begin
    if tg_op = 'DELETE'
        or (new.id, new.program_id, new.word, new.is_access, new.percent, new.amount, new.valid_from, new.valid_until,
            new.uses_per_account_max, new.schedule_id, new.section, new.gate_id, new.created_at)
        is distinct from (old.id, old.program_id, old.word, old.is_access, old.percent, old.amount, old.valid_from,
            old.valid_until, old.uses_per_account_max, old.schedule_id, old.section, old.gate_id, old.created_at)
        or new.withdrawn_at is distinct from old.withdrawn_at and old.withdrawn_at is not null
    then
        raise exception 'code % keeps its terms', old.id
            using errcode = 'integrity_constraint_violation', constraint = 'sale_codes_kept';
    end if;
    return new;
end
$$;

alter table queue_tokens
    -- Access gate that may admit it too; null: none. Its account has redeemed a code of the gate.
    add column gate_id uuid,
    -- Whether that gate admitted it.
    add column through_gate boolean not null default false,
    add constraint queue_tokens_gate_of_program
        foreign key (gate_id, program_id) references access_gates (id, program_id),
    add constraint queue_tokens_through_its_gate
        check (not through_gate or gate_id is not null and admitted_at is not null);
-- Waiting tokens of a gate, in their order.
create index queue_tokens_gate_waiting on queue_tokens (gate_id, queue_number)
    where status = 'WAITING' and parked_at is null and gate_id is not null;
-- People inside whom a gate admitted.
create index queue_tokens_gate_active on queue_tokens (gate_id)
    where status = 'ACTIVE' and through_gate;

alter table queue_moves drop constraint queue_moves_kind_known;
alter table queue_moves drop constraint queue_moves_of_no_number;
-- GATE_MADE: an access gate, with its terms. GATE_ADMITTED: one admitted a number.
alter table queue_moves add constraint queue_moves_kind_known
    check (kind in ('ADMITTED', 'LET_IN', 'PARKED', 'RETURNED', 'LEFT', 'PURGE', 'RULES',
        'DRAW_ANNOUNCED', 'DRAW_WITHDRAWN', 'DRAW_CLOSED', 'DRAW_REVEALED',
        'WISH_MADE', 'WISH_OFFERED', 'WISH_LEFT', 'WISH_ENDED', 'GATE_MADE', 'GATE_ADMITTED'));
alter table queue_moves add constraint queue_moves_of_no_number
    check ((kind in ('RULES', 'GATE_MADE') or kind like 'DRAW\_%' or kind like 'WISH\_%')
        = (queue_number is null));

create or replace function log_token_move() returns trigger language plpgsql as $$
begin
    insert into queue_moves (program_id, queue_number, kind, detail)
    values (new.program_id, new.queue_number,
        case
            when new.status = 'ACTIVE' and new.through_gate then 'GATE_ADMITTED'
            when new.status = 'ACTIVE' and new.let_in_by is null then 'ADMITTED'
            when new.status = 'ACTIVE' then 'LET_IN'
            when new.status <> 'WAITING' then 'LEFT'
            when new.parked_at is not null then 'PARKED'
            else 'RETURNED'
        end,
        case
            when new.status = 'ACTIVE' and new.through_gate
                then json_build_object('gate', new.gate_id)::text
            when new.status = 'ACTIVE' then to_json(new.let_in_reason)::text
        end);
    return null;
end
$$;

create function log_access_gate() returns trigger language plpgsql as $$
begin
    insert into queue_moves (program_id, kind, detail)
    values (new.program_id, 'GATE_MADE', json_build_object('gate', new.id,
        'opens_at', to_char(new.opens_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"'),
        'capacity', new.capacity)::text);
    return null;
end
$$;
create trigger access_gates_logged
    after insert on access_gates
    for each row execute function log_access_gate();
