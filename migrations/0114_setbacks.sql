-- What an office needs to notice that its database has less than it had: after a backup was put back, or where a
-- standby took over that lacked the last commits. Everything is consistent then, and wrong: seats are sold a second time
-- and numbers given twice.
--
-- The pulse counts its beats, once a second. Each instance keeps the highest count that it read, and Redis the highest
-- of all instances. A database that shows less went back: the instance that sees it writes a setback before the
-- connection that showed it is used for anything else. Until an administrator ends the setback, nothing is sold and
-- nobody joins or is let in: triggers refuse it, so no request asks a question more.

-- Name of this office's data, which a backup keeps. It is given with the first beat, so copies of an empty database
-- are different offices.
alter table office_pulse add column office_id uuid not null default gen_random_uuid();
-- A backup from before this migration is of the same office, once it is migrated too.
update office_pulse set office_id = coalesce((select id from programs order by id limit 1), office_id);
-- Beats so far.
alter table office_pulse add column beats bigint not null default 0;
alter table office_pulse add constraint office_pulse_beats_not_negative check (beats >= 0);

create table setbacks (
    id          uuid        primary key default gen_random_uuid(),
    noticed_at  timestamptz not null default clock_timestamp(),
    -- Highest count of beats that was known, and the moment of that beat; null where only the count is known.
    known_beats bigint      not null,
    known_at    timestamptz,
    -- Count that the database had instead, and the moment of its last beat; null: it had no pulse.
    found_beats bigint,
    found_at    timestamptz,
    -- Whether it was the data of another office, whose beats say nothing about these.
    is_other    boolean     not null,
    ended_at    timestamptz,

    constraint setbacks_went_back check (is_other or found_beats < known_beats),
    constraint setbacks_other_or_counted check (is_other or found_beats is not null),
    constraint setbacks_found_has_its_time check ((found_beats is null) = (found_at is null)),
    constraint setbacks_end_after_notice check (ended_at >= noticed_at)
);
-- One is open at a time, whichever instance saw it first.
create unique index setbacks_open on setbacks ((ended_at is null)) where ended_at is null;

-- What was known of each line when its database went back.
create table setback_marks (
    setback_id uuid   not null references setbacks,
    -- Program, which may be missing here: it may be younger than the backup.
    program_id uuid   not null,
    -- NUMBER: the highest queue number given; JOINS, MOVES: the entries of the signed logs.
    kind       text   not null,
    known      bigint not null,

    primary key (setback_id, program_id, kind),
    constraint setback_marks_kind_known check (kind in ('NUMBER', 'JOINS', 'MOVES')),
    constraint setback_marks_known_positive check (known > 0)
);

-- Queue numbers that were given before their program's database went back, and are not given again.
create table queue_number_gaps (
    program_id uuid   not null references programs,
    first      bigint not null,
    last       bigint not null,
    setback_id uuid   not null references setbacks,

    primary key (program_id, first),
    constraint queue_number_gaps_in_order check (first between 1 and last)
);

-- A log that was signed for more entries than it has here adds none: a second history would be signed else.
alter table queue_logs add column rests_since timestamptz;
create trigger queue_logs_rest
    before update on queue_logs
    for each row when (old.rests_since is not null
        and (new.rests_since is distinct from old.rests_since or new.size <> old.size))
    execute function refuse_change();

-- Writes down that the database went back, unless it has the beats that were known, or is a fresh one. Returns whether a
-- setback is open. The lock makes it wait for a transaction that ends one, after which the beats are past what was known.
create function note_setback(_office uuid, _beats bigint, _beat_at timestamptz, out is_set_back boolean)
language plpgsql as $$
begin
    perform pg_advisory_xact_lock(hashtextextended('stagedoor setbacks', 0));

    insert into setbacks as s (known_beats, known_at, found_beats, found_at, is_other)
    select _beats, _beat_at, p.beats, p.beat_at, p.office_id is distinct from _office
    from (select true as is_only) o
    left join office_pulse p on p.is_only = o.is_only
    where p.office_id = _office and p.beats < _beats
        or p.office_id is distinct from _office and exists (select from programs limit 1)
    on conflict ((ended_at is null)) where ended_at is null
    do update set known_beats = excluded.known_beats, known_at = excluded.known_at
        where not s.is_other and not excluded.is_other and s.known_beats < excluded.known_beats;

    select exists (select from setbacks where ended_at is null) into is_set_back;
end $$;

create function refuse_in_setback() returns trigger language plpgsql as $$
begin
    if exists (select from setbacks where ended_at is null) then
        raise exception 'the database went back to an earlier state, and an administrator has not let it go on'
            using errcode = 'SD001', constraint = 'setbacks_sell_nothing';
    end if;
    if tg_level = 'STATEMENT' then
        return null;
    end if;
    return new;
end
$$;

-- Lines.
create trigger queue_tokens_not_in_setback
    before insert on queue_tokens
    for each statement execute function refuse_in_setback();
create trigger queue_tokens_not_admitted_in_setback
    before update of status on queue_tokens
    for each row when (old.status = 'WAITING' and new.status = 'ACTIVE') execute function refuse_in_setback();
create trigger queue_draw_entries_not_in_setback
    before insert on queue_draw_entries
    for each statement execute function refuse_in_setback();
create trigger queue_logs_not_signed_in_setback
    before update of size on queue_logs
    for each row when (new.size <> old.size) execute function refuse_in_setback();
-- Sales.
create trigger reservations_not_in_setback
    before insert on reservations
    for each statement execute function refuse_in_setback();
create trigger payments_not_in_setback
    before insert on payments
    for each statement execute function refuse_in_setback();
create trigger shares_not_made_in_setback
    before insert on shares
    for each statement execute function refuse_in_setback();
create trigger shares_not_paid_in_setback
    before update of status on shares
    for each row when (old.status = 'OPEN' and new.status = 'WITHHELD') execute function refuse_in_setback();
-- Money.
create trigger charges_not_in_setback
    before insert on charges
    for each statement execute function refuse_in_setback();
create trigger payouts_not_in_setback
    before insert on payouts
    for each statement execute function refuse_in_setback();

-- Paid checkouts of which no purchase is known: the purchase was made after the backup that was put back. The money is at
-- the provider.
create table unknown_checkouts (
    -- Name of the checkout at the provider.
    provider_ref text        primary key,
    -- Id that the purchase had.
    charge_id    uuid        not null,
    payment_ref  text,
    amount_minor bigint,
    currency     text,
    told_at      timestamptz not null default clock_timestamp()
);
create index unknown_checkouts_told_at on unknown_checkouts (told_at);
