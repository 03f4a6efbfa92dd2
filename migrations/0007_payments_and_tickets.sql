-- Payments: points for a reservation, exactly once. Tickets: one for each seat
-- or place of a paid reservation, and never more: they are numbered within their item.
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

create unique index payments_live_key on payments (reservation_id) where status = 'COMPLETED';
-- What was ever paid for a reservation, refunded or not.
create index payments_reservation_id on payments (reservation_id);
-- What was booked today.
create index payments_completed_created_at on payments (created_at) where status = 'COMPLETED';
create index payments_account_id on payments (account_id, id desc);

create table tickets (
    id                  uuid        primary key,
    reservation_item_id uuid        not null,
    -- Which of its item's tickets, from 1, and how many these are.
    number              integer     not null,
    item_quantity       integer     not null,
    account_id          uuid        not null references accounts,
    -- What the QR code says: 128 random bits, in base32 without padding.
    code                text        not null,
    status              text        not null default 'VALID',
    used_at             timestamptz,
    -- Who let its holder in.
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

create index tickets_account_id on tickets (account_id, id desc);
