-- Reservations: seats and places of a performance that an account holds or has paid for.
--
-- `reservation_items_live_seat_key` is the last guard against a double sale: one live item per
-- seat, even if locks, versions and code all fail. Composite foreign keys ensure that a
-- reservation's program is the program of its performance, and that an item's seat or zone belongs
-- to the performance of its reservation.

-- One row per request to hold that was granted.
create table reservations (
    id               uuid        primary key,
    account_id       uuid        not null references accounts,
    schedule_id      uuid        not null,
    -- Program of the performance. The limit per account and the stay belong to the program.
    program_id       uuid        not null,
    status           text        not null default 'HELD',
    -- Sum of the items' prices, in points.
    total            bigint      not null,
    -- End of the hold: `created_at` + `hold_ttl_secs`, plus the one renewal if `renewed_at` is set.
    expires_at       timestamptz not null,
    hold_ttl_secs    integer     not null,
    renewed_at       timestamptz,
    -- Limit of the account's live seats and places when this was held, these included.
    places_max       integer     not null,
    -- Refund policy that was shown when this reservation was made. If the performance has moved
    -- since, `refund_deadline()` returns the deadline.
    refund_until     timestamptz not null,
    refund_percent   integer     not null,
    -- When it was paid: always before `expires_at`.
    confirmed_at     timestamptz,
    -- When it took its present status; null while HELD.
    settled_at       timestamptz,
    version          bigint      not null default 0,
    created_at       timestamptz not null default clock_timestamp(),

    constraint reservations_status_known
        check (status in ('HELD', 'CONFIRMED', 'CANCELLED', 'EXPIRED', 'REFUNDED')),
    constraint reservations_held_is_not_settled check (status <> 'HELD' or settled_at is null),
    constraint reservations_schedule_of_program
        foreign key (schedule_id, program_id) references schedules (id, program_id),
    -- Target of the composite key in `reservation_items`.
    constraint reservations_id_schedule_id_key unique (id, schedule_id),
    constraint reservations_paid_has_its_time
        check ((status in ('CONFIRMED', 'REFUNDED')) = (confirmed_at is not null)),
    constraint reservations_paid_before_its_end check (confirmed_at < expires_at),
    constraint reservations_places_max_positive check (places_max > 0),
    constraint reservations_total_not_negative check (total >= 0),
    constraint reservations_refund_percent_range check (refund_percent between 0 and 100)
);

-- Holds by their end, for the worker that expires them. `settled_at is null` is true for every
-- hold and only the worker's statement states it, for the reason given at
-- `schedule_seats_available`.
create index reservations_held on reservations (expires_at) where status = 'HELD' and settled_at is null;
-- Paid reservations of one performance, for check-in and administrators.
create index reservations_confirmed on reservations (schedule_id)
    where status = 'CONFIRMED' and schedule_id is not null;
-- The reservations of one account, newest first.
create index reservations_account_id on reservations (account_id, id desc);
-- The reservations of one program, newest first, for administrators.
create index reservations_program_id on reservations (program_id, id desc);
-- Live reservations of one account in one program.
create index reservations_live on reservations (account_id, program_id)
    where status in ('HELD', 'CONFIRMED') and account_id is not null;

-- What a reservation consists of: one seat, or a number of places in one zone.
create table reservation_items (
    id               uuid    primary key,
    reservation_id   uuid    not null,
    -- Performance of the reservation, and of the seat or zone.
    schedule_id      uuid    not null,
    schedule_seat_id bigint,
    zone_id          uuid,
    quantity         integer not null default 1,
    -- Price of one seat or place when it was held.
    unit_price       bigint  not null,
    -- True while the reservation is HELD or CONFIRMED.
    live             boolean not null default true,

    constraint reservation_items_of_reservation
        foreign key (reservation_id, schedule_id) references reservations (id, schedule_id),
    constraint reservation_items_seat_of_schedule
        foreign key (schedule_seat_id, schedule_id) references schedule_seats (id, schedule_id),
    constraint reservation_items_zone_of_schedule
        foreign key (zone_id, schedule_id) references zones (id, schedule_id),
    -- Target of the composite key in `tickets`.
    constraint reservation_items_id_quantity_key unique (id, quantity),
    constraint reservation_items_seat_or_zone check ((schedule_seat_id is null) <> (zone_id is null)),
    constraint reservation_items_seat_is_one check (schedule_seat_id is null or quantity = 1),
    constraint reservation_items_quantity_positive check (quantity > 0),
    constraint reservation_items_unit_price_not_negative check (unit_price >= 0)
);

-- A seat is in at most one live item.
create unique index reservation_items_live_seat_key on reservation_items (schedule_seat_id) where live;
create index reservation_items_reservation_id on reservation_items (reservation_id);
-- Live items of one zone, whose quantities add up to what is taken.
create index reservation_items_live_zone on reservation_items (zone_id) where live and zone_id is not null;

-- Last moment at which a reservation is refunded: the later of the agreed one and those that moves
-- of the performance since then promised, and never after the start. A hold that was being made
-- while the performance moved gets the promise of that move too. The interval of one minute allows
-- for that: it is longer than any transaction lasts.
create function refund_deadline(schedule uuid, agreed timestamptz, reserved_at timestamptz)
returns timestamptz language sql stable as $$
    select least(starts_at, greatest(agreed, (
        select max(refund_until) from schedule_moves
        where schedule_id = schedule and moved_at > reserved_at - interval '1 minute'
    )))
    from schedules where id = schedule
$$;
