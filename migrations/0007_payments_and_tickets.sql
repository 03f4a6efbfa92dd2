-- Payments and tickets of reservations.

-- Payments: a reservation is paid at most once (`payments_live_key`).
create table payments (
    id             uuid        primary key,
    reservation_id uuid        not null references reservations,
    account_id     uuid        not null references accounts,
    amount         bigint      not null,
    status         text        not null,
    version        bigint      not null default 0,
    created_at     timestamptz not null default clock_timestamp(),

    constraint payments_status_known check (status in ('COMPLETED', 'REFUNDED')),
    constraint payments_amount_not_negative check (amount >= 0)
);

-- At most one payment of a reservation that is not refunded.
create unique index payments_live_key on payments (reservation_id) where status = 'COMPLETED';
-- All payments of one reservation, refunded ones included.
create index payments_reservation_id on payments (reservation_id);
-- Completed payments since a moment, for the ranking of today's most booked performances.
create index payments_completed_created_at on payments (created_at) where status = 'COMPLETED';
-- The payments of one account, newest first.
create index payments_account_id on payments (account_id, id desc);

-- Tickets: one for each seat or place of a paid reservation. Tickets are numbered within their
-- item, so an item never has more of them than its quantity.
create table tickets (
    id                  uuid        primary key,
    reservation_item_id uuid        not null,
    -- Number within the item, from 1, and the item's quantity.
    number              integer     not null,
    item_quantity       integer     not null,
    account_id          uuid        not null references accounts,
    -- Content of the QR code: 128 random bits, in base32 without padding.
    code                text        not null,
    status              text        not null default 'VALID',
    -- When the holder was checked in.
    used_at             timestamptz,
    -- Staff account that checked the holder in.
    used_by             uuid        references accounts,
    created_at          timestamptz not null default clock_timestamp(),

    constraint tickets_of_item
        foreign key (reservation_item_id, item_quantity) references reservation_items (id, quantity),
    constraint tickets_reservation_item_id_number_key unique (reservation_item_id, number),
    constraint tickets_number_within_item check (number between 1 and item_quantity),
    constraint tickets_code_key unique (code),
    constraint tickets_status_known check (status in ('VALID', 'USED', 'VOID')),
    constraint tickets_used_has_its_time check ((status = 'USED') = (used_at is not null)),
    constraint tickets_used_by_somebody_used check (used_by is null or status = 'USED')
);

-- The tickets of one account, newest first.
create index tickets_account_id on tickets (account_id, id desc);
