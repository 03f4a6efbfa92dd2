-- Reservations: seats and places held, then paid for.
--
-- The last guard against a double sale is `reservation_items_live_seat_key`: one
-- live item per seat, whatever any lock, version or line of code believed. Composite keys
-- hold together what belongs together: a reservation's program is its performance's, and an
-- item's seat or zone is of its reservation's performance.
create table reservations (
    id               uuid        primary key,
    account_id       uuid        not null references accounts,
    schedule_id      uuid        not null,
    -- The schedule's program: the cap per account and the stay belong to it.
    program_id       uuid        not null,
    status           text        not null default 'HELD',
    total            bigint      not null,
    -- created_at + hold_ttl_secs, and the one renewal if renewed_at is set.
    expires_at       timestamptz not null,
    hold_ttl_secs    integer     not null,
    renewed_at       timestamptz,
    -- How many seats and places the account might have live when this was held, these counted.
    places_max       integer     not null,
    -- The refund policy as it was shown when this reservation was made; `refund_deadline`
    -- says until when it can be given back since the performance moved.
    refund_until     timestamptz not null,
    refund_percent   integer     not null,
    -- The moment that its payment was decided by: before the hold's end.
    confirmed_at     timestamptz,
    -- When it took the status it has now, HELD apart.
    settled_at       timestamptz,
    version          bigint      not null default 0,
    created_at       timestamptz not null default clock_timestamp(),

    constraint reservations_status_known
        check (status in ('HELD', 'CONFIRMED', 'CANCELLED', 'EXPIRED', 'REFUNDED')),
    constraint reservations_held_is_not_settled check (status <> 'HELD' or settled_at is null),
    constraint reservations_schedule_of_program
        foreign key (schedule_id, program_id) references schedules (id, program_id),
    -- What an item refers to: the reservation together with its performance.
    constraint reservations_id_schedule_id_key unique (id, schedule_id),
    constraint reservations_paid_has_its_time
        check ((status in ('CONFIRMED', 'REFUNDED')) = (confirmed_at is not null)),
    constraint reservations_paid_before_its_end check (confirmed_at < expires_at),
    constraint reservations_places_max_positive check (places_max > 0),
    constraint reservations_total_not_negative check (total >= 0),
    constraint reservations_refund_percent_range check (refund_percent between 0 and 100)
);

-- What the worker that ends holds reads, and nothing else: `settled_at is null` is true of every
-- hold, and only that statement says so. While few are held this index is the smallest of all, and
-- a plan made then would go on reading every hold there is to find those of one account.
create index reservations_held on reservations (expires_at) where status = 'HELD' and settled_at is null;
-- What was sold of one performance: the door and the desk ask.
create index reservations_confirmed on reservations (schedule_id)
    where status = 'CONFIRMED' and schedule_id is not null;
create index reservations_account_id on reservations (account_id, id desc);
-- The desk's list of one program's sales, newest first.
create index reservations_program_id on reservations (program_id, id desc);
-- What one account has live in one program.
create index reservations_live on reservations (account_id, program_id)
    where status in ('HELD', 'CONFIRMED') and account_id is not null;

create table reservation_items (
    id               uuid    primary key,
    reservation_id   uuid    not null,
    -- The reservation's, and the seat's or the zone's.
    schedule_id      uuid    not null,
    schedule_seat_id bigint,
    zone_id          uuid,
    quantity         integer not null default 1,
    unit_price       bigint  not null,
    -- Until the hold ends unpaid or the reservation is refunded.
    live             boolean not null default true,

    constraint reservation_items_of_reservation
        foreign key (reservation_id, schedule_id) references reservations (id, schedule_id),
    constraint reservation_items_seat_of_schedule
        foreign key (schedule_seat_id, schedule_id) references schedule_seats (id, schedule_id),
    constraint reservation_items_zone_of_schedule
        foreign key (zone_id, schedule_id) references zones (id, schedule_id),
    -- What a ticket refers to: the item together with how many tickets it is.
    constraint reservation_items_id_quantity_key unique (id, quantity),
    constraint reservation_items_seat_or_zone check ((schedule_seat_id is null) <> (zone_id is null)),
    constraint reservation_items_seat_is_one check (schedule_seat_id is null or quantity = 1),
    constraint reservation_items_quantity_positive check (quantity > 0),
    constraint reservation_items_unit_price_not_negative check (unit_price >= 0)
);

create unique index reservation_items_live_seat_key on reservation_items (schedule_seat_id) where live;
create index reservation_items_reservation_id on reservation_items (reservation_id);
create index reservation_items_live_zone on reservation_items (zone_id) where live and zone_id is not null;

-- Until when a reservation may be given back: the latest of what was agreed and of what each
-- move of the performance since then promised, and never past the start. A hold that was under
-- way while the performance moved has the move's promise too: hence the minute, which is longer
-- than any transaction lasts.
create function refund_deadline(schedule uuid, agreed timestamptz, reserved_at timestamptz)
returns timestamptz language sql stable as $$
    select least(starts_at, greatest(agreed, (
        select max(refund_until) from schedule_moves
        where schedule_id = schedule and moved_at > reserved_at - interval '1 minute'
    )))
    from schedules where id = schedule
$$;
