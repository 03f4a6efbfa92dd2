-- Kinds of seats, and places that are kept for those who need them.
--
-- A venue's plan says of each seat what it is. Each performance has a copy, which a hold reads from
-- the row that it locks: a new plan locks the same rows before it changes them.

alter table seats
    add column kind text not null default 'STANDARD',
    -- Number of the wheelchair place, in the same row, that a companion's place belongs to.
    add column companion_of integer,
    add constraint seats_kind_known
        check (kind in ('STANDARD', 'WHEELCHAIR', 'COMPANION', 'EASY_ACCESS', 'RESTRICTED_VIEW')),
    add constraint seats_companion_has_its_place
        check ((kind = 'COMPANION') = (companion_of is not null)),
    add constraint seats_companion_of_seat
        foreign key (venue_id, section, row_label, companion_of)
        references seats (venue_id, section, row_label, number);

-- Places of companions that belong to a seat, before it is deleted.
create index seats_companion_of on seats (venue_id, section, row_label, companion_of)
    where companion_of is not null and venue_id is not null;

alter table schedule_seats
    -- Kind of the seat in its plan; a performance that is over keeps what it had.
    add column kind text not null default 'STANDARD',
    -- Wheelchair place that a companion's place belongs to, in the plan.
    add column wheelchair_seat_id bigint,
    add constraint schedule_seats_kind_known
        check (kind in ('STANDARD', 'WHEELCHAIR', 'COMPANION', 'EASY_ACCESS', 'RESTRICTED_VIEW')),
    add constraint schedule_seats_companion_has_its_place
        check ((kind = 'COMPANION') = (wheelchair_seat_id is not null));

alter table schedules
    -- Hours before the start until which free places for wheelchairs and companions are kept for
    -- those who need them. Null: until the start.
    add column kept_until_hours integer,
    add constraint schedules_kept_until_hours_range check (kept_until_hours between 0 and 8760);

alter table reservations
    -- Until when such places of the performance were kept, as this was held. Null: held by a version
    -- that kept none.
    add column kept_until timestamptz;
