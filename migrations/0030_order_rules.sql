-- What one order of a program must keep to.

alter table programs
    -- Seats or places that an order has at least.
    add column places_per_order_min integer not null default 1,
    -- Whether an order is refused that leaves a single seat free.
    add column no_single_seats boolean not null default false,
    add constraint programs_places_per_order_min_range
        check (places_per_order_min between 1 and places_per_account_max);
