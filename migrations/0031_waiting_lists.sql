-- Waiting lists: whoever finds no places of a performance wishes for some, and what becomes free is
-- offered to the first wish that it fits, in the transaction that frees it.

alter table programs
    -- Minutes for which an offer holds its places.
    add column offer_mins integer not null default 15,
    add constraint programs_offer_mins_range check (offer_mins between 1 and 1440);

-- One for each performance, made with it. Whoever frees something of the performance locks its row
-- first: shared while no wish waits, so that it holds nobody up, and alone while one does. Whoever
-- changes the list locks it alone.
create table waiting_lists (
    schedule_id uuid    primary key references schedules on delete cascade,
    -- Number of the next wish.
    next_number bigint  not null default 1,
    -- Wishes that wait.
    waiting     integer not null default 0,

    constraint waiting_lists_next_number_positive check (next_number > 0),
    constraint waiting_lists_waiting_range check (waiting >= 0 and waiting < next_number)
);

insert into waiting_lists (schedule_id) select id from schedules;

create function make_waiting_list() returns trigger language plpgsql as $$
begin
    insert into waiting_lists (schedule_id) values (new.id);
    return null;
end
$$;
create trigger schedules_have_waiting_list
    after insert on schedules
    for each row execute function make_waiting_list();

create table wishes (
    id          uuid        primary key,
    schedule_id uuid        not null,
    program_id  uuid        not null,
    account_id  uuid        not null references accounts,
    -- Order in the list, from 1 without a gap.
    number      bigint      not null,
    -- Seats or places.
    places      integer     not null,
    -- Section, or zone, by its name; null: any.
    section     text,
    -- Highest price of one place, in points; null: any.
    price_max   bigint,
    -- Whether seats must be side by side.
    is_together boolean     not null,
    -- WAITING; OFFERED: a reservation has its id, whatever became of that; LEFT by its account; ENDED
    -- with the list.
    status      text        not null default 'WAITING',
    settled_at  timestamptz,
    created_at  timestamptz not null default clock_timestamp(),

    constraint wishes_schedule_of_program
        foreign key (schedule_id, program_id) references schedules (id, program_id),
    constraint wishes_of_list foreign key (schedule_id) references waiting_lists,
    constraint wishes_schedule_id_number_key unique (schedule_id, number),
    -- Target of the composite key in `reservations`.
    constraint wishes_id_account_id_schedule_id_key unique (id, account_id, schedule_id),
    constraint wishes_status_known check (status in ('WAITING', 'OFFERED', 'LEFT', 'ENDED')),
    constraint wishes_settled_has_its_time check ((status = 'WAITING') = (settled_at is null)),
    constraint wishes_number_positive check (number > 0),
    constraint wishes_places_range check (places between 1 and 8),
    constraint wishes_section_length check (length(section) between 1 and 100),
    constraint wishes_price_max_not_negative check (price_max >= 0)
);

-- An account waits once for one performance. `account_id is not null` is true for each wish, and only
-- statements about accounts state it, for the reason given at `schedule_seats_available`.
create unique index wishes_waiting_key on wishes (account_id, schedule_id)
    where status = 'WAITING' and account_id is not null;
-- Those that wait, in their order, likewise.
create index wishes_waiting on wishes (schedule_id, number)
    where status = 'WAITING' and settled_at is null;
-- All of one account in one performance, newest first.
create index wishes_account_id on wishes (account_id, schedule_id, number desc);

-- Refuses a change of a wish that has ended.
create function refuse_change_of_ended_wish() returns trigger language plpgsql as $$
begin
    raise exception 'wish % has ended', old.id
        using errcode = 'integrity_constraint_violation', constraint = 'wishes_end_once';
end
$$;
create trigger wishes_end_once
    before update on wishes
    for each row when (old.status <> 'WAITING') execute function refuse_change_of_ended_wish();

alter table reservations
    -- Wish that this was offered to; null: its owner chose it.
    add column wish_id uuid,
    add constraint reservations_of_wish
        foreign key (wish_id, account_id, schedule_id) references wishes (id, account_id, schedule_id);
-- A wish gets one offer.
create unique index reservations_wish_id_key on reservations (wish_id) where wish_id is not null;

-- What happens to a wish is an entry of the program's second public log, so that everybody can check
-- the order. It names nobody.
alter table queue_moves drop constraint queue_moves_kind_known;
alter table queue_moves drop constraint queue_moves_of_nobody_have_no_number;
alter table queue_moves add constraint queue_moves_kind_known
    check (kind in ('ADMITTED', 'LET_IN', 'PARKED', 'RETURNED', 'LEFT', 'PURGE', 'RULES',
        'DRAW_ANNOUNCED', 'DRAW_WITHDRAWN', 'DRAW_CLOSED', 'DRAW_REVEALED',
        'WISH_MADE', 'WISH_OFFERED', 'WISH_LEFT', 'WISH_ENDED'));
alter table queue_moves add constraint queue_moves_of_no_number
    check ((kind = 'RULES' or kind like 'DRAW\_%' or kind like 'WISH\_%') = (queue_number is null));

create function log_wish() returns trigger language plpgsql as $$
begin
    insert into queue_moves (program_id, kind, detail)
    values (new.program_id,
        case new.status when 'WAITING' then 'WISH_MADE' else 'WISH_' || new.status end,
        case new.status
            when 'WAITING' then json_build_object('schedule', new.schedule_id, 'wish', new.number,
                'places', new.places, 'section', new.section, 'price_max', new.price_max,
                'together', new.is_together)
            else json_build_object('schedule', new.schedule_id, 'wish', new.number)
        end::text);
    return null;
end
$$;
create trigger wishes_logged
    after insert or update of status on wishes
    for each row execute function log_wish();
