-- Price types: for whom a place is, and what it costs then (child, student, companion of somebody in a
-- wheelchair). A place of no type costs the ordinary price of its seat or zone.
--
-- A row is the terms of a type and never changes. An edit withdraws the row and inserts another one of the
-- same series. So a request that names a row names exactly what was shown, and an item that refers to one
-- keeps its name, its price and its limits, whatever becomes of the type.
create table price_types (
    id             uuid        primary key,
    -- The same for all terms that a type has had.
    series_id      uuid        not null,
    schedule_id    uuid        not null references schedules on delete cascade,
    -- As the program says it, in its own language.
    name           text        not null,
    -- What to bring or to know; shown with the type, on the ticket and at the door.
    note           text        not null default '',
    -- Percent of the ordinary price, rounded down to whole points and at least one; 0: free.
    percent        integer,
    -- Price in points, where the ordinary price is not lower.
    price          bigint,
    -- Names of the sections and zones that have it; null: all.
    sections       text[],
    -- Kinds of the seats that have it, a zone's places being STANDARD; null: all.
    kinds          text[],
    -- Places of the type in one order.
    per_order_max  integer,
    -- What must be in the same order: ORDINARY, places at the ordinary price, or WHEELCHAIR places.
    beside         text,
    -- Places of the type for each of those; null: any number.
    per_beside_max integer,
    created_at     timestamptz not null default clock_timestamp(),
    withdrawn_at   timestamptz,

    -- Target of the composite key in `reservation_items`.
    constraint price_types_id_schedule_id_key unique (id, schedule_id),
    constraint price_types_one_cost check (num_nonnulls(percent, price) = 1),
    constraint price_types_percent_range check (percent between 0 and 100),
    constraint price_types_price_positive check (price > 0),
    constraint price_types_name_length check (length(name) between 1 and 40),
    constraint price_types_note_length check (length(note) <= 120),
    constraint price_types_sections_range check (cardinality(sections) between 1 and 100),
    constraint price_types_kinds_known check (
        cardinality(kinds) > 0 and kinds <@
            array['STANDARD', 'WHEELCHAIR', 'COMPANION', 'EASY_ACCESS', 'RESTRICTED_VIEW']),
    constraint price_types_per_order_max_range check (per_order_max between 1 and 1000),
    constraint price_types_beside_known check (beside in ('ORDINARY', 'WHEELCHAIR')),
    constraint price_types_per_beside_max_range
        check (per_beside_max is null or per_beside_max between 1 and 1000 and beside is not null)
);

-- The current types of a performance have different names.
create unique index price_types_current_name_key on price_types (schedule_id, name)
    where withdrawn_at is null;
-- A type has one row of current terms. Also the index by which the types of a performance are listed.
create unique index price_types_current_key on price_types (schedule_id, series_id)
    where withdrawn_at is null;

-- Refuses any change of terms but their withdrawal, once.
create function refuse_change_of_price_type() returns trigger language plpgsql as $$
begin
    if old.withdrawn_at is not null or new.withdrawn_at is null
        or to_jsonb(new) - 'withdrawn_at' <> to_jsonb(old) - 'withdrawn_at'
    then
        raise exception 'the terms % of a price type do not change', old.id
            using errcode = 'integrity_constraint_violation', constraint = 'price_types_never_change';
    end if;
    return new;
end
$$;
create trigger price_types_never_change
    before update on price_types
    for each row execute function refuse_change_of_price_type();

alter table reservation_items
    -- Terms on which the item was held; null: at the ordinary price.
    add column price_type_id uuid,
    -- What one place cost without the type, when it was held.
    add column ordinary_price bigint;
alter table reservation_items
    add constraint reservation_items_price_type_of_schedule
        foreign key (price_type_id, schedule_id) references price_types (id, schedule_id) not valid,
    add constraint reservation_items_typed_has_ordinary_price
        check ((price_type_id is null) = (ordinary_price is null)) not valid,
    add constraint reservation_items_type_is_not_dearer check (unit_price <= ordinary_price) not valid;
alter table reservation_items validate constraint reservation_items_price_type_of_schedule;
alter table reservation_items validate constraint reservation_items_typed_has_ordinary_price;
alter table reservation_items validate constraint reservation_items_type_is_not_dearer;
