-- Catalog: programs, venues and performances, and what each performance sells.
--
-- The catalog inserts `schedule_seats` and `zones` and writes their prices. Only the reservation
-- feature changes their state: `status`, `remaining` and `capacity`.

-- What is announced and sold, with the rules of its sale.
create table programs (
    id                      uuid        primary key,
    -- The program's part of web addresses.
    slug                    text        not null,
    title                   text        not null,
    description             text        not null default '',
    status                  text        not null default 'DRAFT',
    on_sale_at              timestamptz not null,
    off_sale_at             timestamptz not null,
    -- People inside at the same time, at most. Null: the program has no queue.
    queue_capacity          integer,
    -- Admissions per second, at most. Null: limited by the capacity only.
    queue_rate_per_second   integer,
    -- Null: the queue is not paused.
    queue_paused_at         timestamptz,
    -- Length of a stay inside; copied to each person's stay at admission.
    stay_secs               integer     not null default 600,
    -- Length of a hold; copied to each hold when it is made.
    hold_ttl_secs           integer     not null default 300,
    -- Seats and places that one account may hold or have paid for in this program, together.
    places_per_account_max  integer     not null default 8,
    -- Refund policy: the last moment, in hours before the start, and the share of the total that
    -- is refunded, in percent.
    refund_until_hours      integer     not null default 24,
    refund_percent          integer     not null default 100,
    -- The next five columns are guards against hoarding; null switches a guard off.
    -- Minimum age of an account that joins.
    join_account_age_mins   integer,
    -- A join takes a proof of work of 2^bits attempts on average, or a wait of the same length.
    join_proof_bits         integer,
    -- Accounts of one network that get a queue number, at most.
    joins_per_address       integer,
    -- An account with this many unpaid holds within the minutes below neither joins nor holds.
    unpaid_holds_max        integer,
    cool_down_mins          integer,
    -- When the program was cancelled, and when the last of its queue, holds and tickets was ended
    -- and refunded.
    cancelled_at            timestamptz,
    wound_down_at           timestamptz,
    -- Incremented by every edit. An edit names the version it was based on and is refused if that
    -- is no longer the current one.
    version                 bigint      not null default 0,
    created_at              timestamptz not null default now(),

    constraint programs_slug_key unique (slug),
    constraint programs_slug_form check (slug ~ '^[a-z0-9]+(-[a-z0-9]+)*$' and length(slug) <= 80),
    constraint programs_status_known check (status in ('DRAFT', 'PUBLISHED', 'CANCELLED')),
    constraint programs_cancelled_has_its_time
        check ((status = 'CANCELLED') = (cancelled_at is not null)),
    constraint programs_wound_down_was_cancelled check (wound_down_at is null or cancelled_at is not null),
    constraint programs_sale_opens_before_it_closes check (on_sale_at < off_sale_at),
    constraint programs_queue_capacity_positive check (queue_capacity > 0),
    constraint programs_queue_rate_positive check (queue_rate_per_second > 0),
    constraint programs_join_account_age_mins_range
        check (join_account_age_mins between 1 and 525600),
    constraint programs_join_proof_bits_range check (join_proof_bits between 8 and 28),
    constraint programs_joins_per_address_range check (joins_per_address between 1 and 100000),
    constraint programs_cool_down_range
        check (unpaid_holds_max between 1 and 100 and cool_down_mins between 1 and 10080),
    constraint programs_cool_down_whole
        check ((unpaid_holds_max is null) = (cool_down_mins is null)),
    constraint programs_stay_secs_range check (stay_secs between 10 and 86400),
    constraint programs_hold_ttl_secs_range check (hold_ttl_secs between 1 and 3600),
    constraint programs_places_per_account_max_range check (places_per_account_max between 1 and 1000),
    constraint programs_refund_until_hours_range check (refund_until_hours between 0 and 8760),
    constraint programs_refund_percent_range check (refund_percent between 0 and 100)
);

-- Cancelled programs of which something has still to be refunded.
create index programs_winding_down on programs (id) where cancelled_at is not null and wound_down_at is null;

-- Places where performances happen.
create table venues (
    id        uuid primary key,
    name      text not null,
    address   text not null default '',
    -- IANA name of the zone in which the times of performances are shown.
    time_zone text not null default 'Asia/Seoul',
    -- Incremented by every edit of the venue or of its seats; see `programs.version`.
    version   bigint not null default 0
);

-- Seats of a venue, independent of any performance.
create table seats (
    id        bigint generated always as identity primary key,
    venue_id  uuid    not null references venues,
    section   text    not null,
    row_label text    not null,
    number    integer not null,
    -- Position on the map, in seat widths from the top left corner.
    x         real    not null,
    y         real    not null,

    constraint seats_place_key unique (venue_id, section, row_label, number)
);

-- Performances: a program at a venue at a time.
create table schedules (
    id         uuid        primary key,
    program_id uuid        not null references programs,
    venue_id   uuid        not null references venues,
    starts_at  timestamptz not null,
    -- Incremented by every edit of the performance, its prices or its zones; see
    -- `programs.version`.
    version    bigint      not null default 0,
    -- Incremented by each step that writes prices of seats, in the step's own transaction. A reader
    -- that reads it before the seats can tell which seats were priced after its read.
    price_version bigint   not null default 0,

    constraint schedules_program_id_starts_at_key unique (program_id, starts_at),
    -- Target of the composite key in `reservations`.
    constraint schedules_id_program_id_key unique (id, program_id)
);

-- Refund deadlines that moves of a performance promised to those who had reserved before the move.
-- Append-only: a later move does not take back what an earlier one promised.
create table schedule_moves (
    schedule_id  uuid        not null references schedules on delete cascade,
    moved_at     timestamptz not null default clock_timestamp(),
    refund_until timestamptz not null,

    constraint schedule_moves_pkey primary key (schedule_id, moved_at)
);

-- Price changes that were saved and are being written to the seats, in steps of bounded size. A
-- row is deleted with its last step.
create table price_changes (
    schedule_id uuid   not null references schedules on delete cascade,
    section     text   not null,
    price       bigint not null,
    -- `schedules.version` of the edit that set this price.
    version     bigint not null,

    constraint price_changes_pkey primary key (schedule_id, section),
    constraint price_changes_price_not_negative check (price >= 0)
);

-- Seats of a performance: what is sold, for what price.
create table schedule_seats (
    id          bigint generated always as identity primary key,
    schedule_id uuid   not null references schedules,
    seat_id     bigint not null references seats,
    price       bigint not null,
    status      text   not null default 'AVAILABLE',
    -- Incremented by every change of `status`.
    version     bigint not null default 0,
    -- Value of `schedules.price_version` in the step that wrote the price.
    price_version bigint not null default 0,
    -- Transaction that last changed the row: open maps read the changes since a transaction. After
    -- a restore into another cluster it may lie in the future; readers of changes skip such rows.
    changed_xid xid8   not null default pg_current_xact_id(),

    -- The seat comes first, because replacing a venue's seats looks rows up by seat. Rows of one
    -- performance are found by the index on `changed_xid`.
    constraint schedule_seats_seat_id_schedule_id_key unique (seat_id, schedule_id),
    -- Target of the composite key in `reservation_items`.
    constraint schedule_seats_id_schedule_id_key unique (id, schedule_id),
    constraint schedule_seats_status_known check (status in ('AVAILABLE', 'HELD', 'RESERVED', 'BLOCKED')),
    constraint schedule_seats_price_not_negative check (price >= 0)
);

-- Seats of one performance, and those of them that changed since a transaction.
create index schedule_seats_schedule_id_changed_xid on schedule_seats (schedule_id, changed_xid);
-- Number of available seats and their lowest price, without reading sold ones.
--
-- `schedule_id is not null` is true for every row. Such a condition, here and in other partial
-- indexes, limits the index to statements that compare that column. A plan is made once for each
-- connection, and possibly while the table is empty and all indexes are equally small. Without the
-- condition such a plan could read all available seats of all performances to find one seat.
create index schedule_seats_available on schedule_seats (schedule_id, price)
    where status = 'AVAILABLE' and schedule_id is not null;

-- Zones of a performance: places that are sold by number, without a seat.
create table zones (
    id          uuid    primary key,
    schedule_id uuid    not null references schedules,
    name        text    not null,
    price       bigint  not null,
    capacity    integer not null,
    -- Capacity minus the quantities of live items.
    remaining   integer not null,
    version     bigint  not null default 0,
    -- See `schedule_seats.changed_xid`.
    changed_xid xid8    not null default pg_current_xact_id(),

    constraint zones_schedule_id_name_key unique (schedule_id, name),
    -- Target of the composite key in `reservation_items`.
    constraint zones_id_schedule_id_key unique (id, schedule_id),
    constraint zones_price_not_negative check (price >= 0),
    constraint zones_remaining_within_capacity check (0 <= remaining and remaining <= capacity)
);
