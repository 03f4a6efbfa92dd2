-- Popularity: what was booked on each day, and how fast performances sold out.
--
-- Days are those of the office's time zone. What is booked counts on the day it was paid, and what is
-- given back on the day it was given back, so a day that is over never changes.

-- Net bookings of one performance on one day.
create table daily_sales (
    day         date        not null,
    schedule_id uuid        not null,
    program_id  uuid        not null,
    -- Reservations paid less reservations refunded; negative on a day of refunds.
    bookings    bigint      not null,
    -- Points paid less points given back, for refunds and for places that were sold on.
    revenue     bigint      not null,
    -- Number of the count that changed the row last: what is new is found by it.
    changed_in  bigint      not null,

    constraint daily_sales_pkey primary key (day, schedule_id),
    constraint daily_sales_schedule_of_program
        foreign key (schedule_id, program_id) references schedules (id, program_id)
);

-- Rows in the order in which they changed, for the ranking in Redis.
create index daily_sales_changed_in on daily_sales (changed_in);
-- The days of one performance.
create index daily_sales_schedule_id on daily_sales (schedule_id);

-- How far sales are counted: one row. Whoever counts has locked it.
create table daily_sales_progress (
    only_row      boolean     not null default true,
    -- Everything from this moment on, and before `counted_until`, is in `daily_sales`, but for what
    -- happened on days before `kept_from`.
    counted_from  timestamptz not null,
    counted_until timestamptz not null,
    -- Counts that changed anything: the number of the last. It only grows, whatever clocks do.
    counts        bigint      not null default 0,
    kept_from     date        not null default '-infinity',

    constraint daily_sales_progress_pkey primary key (only_row),
    constraint daily_sales_progress_only_row check (only_row)
);

insert into daily_sales_progress (counted_from, counted_until)
select start, start from date_trunc('day', now() - interval '32 days') as start;

-- Performances that sold out, the first time each did.
create table sell_outs (
    schedule_id uuid        not null,
    program_id  uuid        not null,
    -- Opening of the sale, as it was then.
    opened_at   timestamptz not null,
    -- When the last seat or place was paid.
    sold_out_at timestamptz not null,
    -- Whole seconds from the opening to the last place; 0 for one sold before the opening.
    took_secs   bigint      not null,

    constraint sell_outs_pkey primary key (schedule_id),
    constraint sell_outs_schedule_of_program
        foreign key (schedule_id, program_id) references schedules (id, program_id),
    constraint sell_outs_took_secs_not_negative check (took_secs >= 0)
);

-- The fastest first.
create index sell_outs_took_secs on sell_outs (took_secs);

-- What a count reads: what was paid, refunded and sold on within a span of time. The second condition
-- of each is stated by its own statement only, for the reason given at `schedule_seats_available`.
create index reservations_confirmed_at on reservations (confirmed_at) where confirmed_at is not null;
create index reservations_refunded on reservations (settled_at)
    where status = 'REFUNDED' and confirmed_at is not null;
create index ticket_returns_sold on ticket_returns (settled_at)
    where status = 'SOLD' and schedule_id is not null;
-- The ranking that it served is gone.
drop index payments_completed_created_at;
