-- Catalog: what exists and when it is on sale.
--
-- `schedule_seats` and `zones` are inserted here; from then on only the
-- reservation feature changes their state.
create table programs (
    id                      uuid        primary key,
    slug                    text        not null,
    title                   text        not null,
    description             text        not null default '',
    status                  text        not null default 'DRAFT',
    on_sale_at              timestamptz not null,
    off_sale_at             timestamptz not null,
    -- How many may be inside at once. Null: no line, everybody is let in.
    queue_capacity          integer,
    -- How many are let in a second. Null: as many as there is room for.
    queue_rate_per_second   integer,
    queue_paused_at         timestamptz,
    -- How long a stay inside lasts, fixed for each person at admission.
    stay_secs               integer     not null default 600,
    -- How long a hold lasts, fixed for each hold at its creation.
    hold_ttl_secs           integer     not null default 300,
    -- How many seats and places one account may have live in this program.
    places_per_account_max  integer     not null default 8,
    -- A paid reservation may be given back until so many hours before the start,
    -- for so many percent of what was paid.
    refund_until_hours      integer     not null default 24,
    refund_percent          integer     not null default 100,
    -- Against hoarding; null is off. How old an account must be to join.
    join_account_age_mins   integer,
    -- Joining takes 2 to the power of this many tries, or a wait of as long.
    join_proof_bits         integer,
    -- How many accounts of one network get a number.
    joins_per_address       integer,
    -- Who let so many holds end unpaid within so many minutes neither joins nor holds.
    unpaid_holds_max        integer,
    cool_down_mins          integer,
    -- When it was cancelled, and when the last of its line, holds and tickets was
    -- given back.
    cancelled_at            timestamptz,
    wound_down_at           timestamptz,
    -- Incremented by every edit: an edit of what somebody else edited meanwhile is refused.
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

-- What is left to be given back.
create index programs_winding_down on programs (id) where cancelled_at is not null and wound_down_at is null;

create table venues (
    id        uuid primary key,
    name      text not null,
    address   text not null default '',
    -- The clock on the venue's wall: performances are shown in it.
    time_zone text not null default 'Asia/Seoul',
    -- As a program's; the seats count as the venue.
    version   bigint not null default 0
);

create table seats (
    id        bigint generated always as identity primary key,
    venue_id  uuid    not null references venues,
    section   text    not null,
    row_label text    not null,
    number    integer not null,
    -- Where the seat stands on the map, in seat widths from the top left.
    x         real    not null,
    y         real    not null,

    constraint seats_place_key unique (venue_id, section, row_label, number)
);

create table schedules (
    id         uuid        primary key,
    program_id uuid        not null references programs,
    venue_id   uuid        not null references venues,
    starts_at  timestamptz not null,
    -- As a program's; prices and zones count as the schedule.
    version    bigint      not null default 0,
    -- Counts the steps that wrote prices of seats, each in the transaction of its step: whoever
    -- reads it before the seats knows which of them were priced later than what was read.
    price_version bigint   not null default 0,

    constraint schedules_program_id_starts_at_key unique (program_id, starts_at),
    -- What a reservation refers to: the performance together with its program.
    constraint schedules_id_program_id_key unique (id, program_id)
);

-- Until when what is reserved may be given back by the rule, as each move of a performance
-- set it anew. Append-only: what a move promised is kept when the performance moves again.
create table schedule_moves (
    schedule_id  uuid        not null references schedules on delete cascade,
    moved_at     timestamptz not null default clock_timestamp(),
    refund_until timestamptz not null,

    constraint schedule_moves_pkey primary key (schedule_id, moved_at)
);

-- Prices that were saved and are being written into the seats, a bounded step at a time.
create table price_changes (
    schedule_id uuid   not null references schedules on delete cascade,
    section     text   not null,
    price       bigint not null,
    -- The edition of the performance that set it.
    version     bigint not null,

    constraint price_changes_pkey primary key (schedule_id, section),
    constraint price_changes_price_not_negative check (price >= 0)
);

create table schedule_seats (
    id          bigint generated always as identity primary key,
    schedule_id uuid   not null references schedules,
    seat_id     bigint not null references seats,
    price       bigint not null,
    status      text   not null default 'AVAILABLE',
    version     bigint not null default 0,
    -- The step of `schedules.price_version` that wrote the price.
    price_version bigint not null default 0,
    -- The transaction that last changed the row: what a map reader asks by. After a restore
    -- into another cluster it may lie in the future; readers leave such rows out.
    changed_xid xid8   not null default pg_current_xact_id(),

    -- The seat first: a venue's plan is redrawn seat by seat, and what a performance sells is
    -- found by the index on its changes.
    constraint schedule_seats_seat_id_schedule_id_key unique (seat_id, schedule_id),
    -- What an item refers to: the seat together with its performance.
    constraint schedule_seats_id_schedule_id_key unique (id, schedule_id),
    constraint schedule_seats_status_known check (status in ('AVAILABLE', 'HELD', 'RESERVED', 'BLOCKED')),
    constraint schedule_seats_price_not_negative check (price >= 0)
);

-- What changed on one map since a cursor.
create index schedule_seats_schedule_id_changed_xid on schedule_seats (schedule_id, changed_xid);
-- How many are free, and from which price, without reading the sold ones. "is not null" is true
-- of every row, here and in other partial indexes: only a statement that compares the column may
-- use the index then. A plan that was made while the table was empty, when all indexes are equally
-- small, could otherwise read all that is free to find one seat.
create index schedule_seats_available on schedule_seats (schedule_id, price)
    where status = 'AVAILABLE' and schedule_id is not null;

create table zones (
    id          uuid    primary key,
    schedule_id uuid    not null references schedules,
    name        text    not null,
    price       bigint  not null,
    capacity    integer not null,
    remaining   integer not null,
    version     bigint  not null default 0,
    changed_xid xid8    not null default pg_current_xact_id(),

    constraint zones_schedule_id_name_key unique (schedule_id, name),
    -- As a seat's.
    constraint zones_id_schedule_id_key unique (id, schedule_id),
    constraint zones_price_not_negative check (price >= 0),
    constraint zones_remaining_within_capacity check (0 <= remaining and remaining <= capacity)
);
