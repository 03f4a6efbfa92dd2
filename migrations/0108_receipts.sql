-- Receipts of payments and refunds, and the lines that a settlement adds up.
--
-- A worker books what was sold and given back, after the commit and in the order of time: nothing is added to a payment.
-- What it books is a sale entry, one for each payment of an order, each refund of a payment, and each place that left an
-- order by itself. Its lines say what of which section, at which price. A receipt is a numbered document about an entry.
-- Entry, lines, receipt and the counter are written in one transaction: no number is missing, and none is given twice.
--
-- What was sold before this migration is booked too, so that settlements are whole, and has no receipt: it was paid before
-- the office said who sells and at which tax.

alter table office_settings
    -- Who sells, as the law wants it on a receipt; empty: the name of the office.
    add column seller text not null default '',
    add column seller_address text not null default '',
    add column tax_number text not null default '',
    -- Tax that prices contain, in hundredths of a percent; null: none is stated.
    add column tax_rate_bp integer,
    add constraint office_settings_seller_length check (
        length(seller) <= 200 and length(seller_address) <= 400 and length(tax_number) <= 60
    ),
    add constraint office_settings_tax_rate_range check (tax_rate_bp between 0 and 10000);

create table sale_entries (
    id             uuid        not null,
    kind           text        not null,
    -- What the ledger's entry refers to: the payment, or the return of the place.
    reference_id   uuid        not null,
    -- Payment that was made, or of which something came back.
    payment_id     uuid        not null,
    reservation_id uuid        not null,
    schedule_id    uuid        not null,
    program_id     uuid        not null,
    -- What was sold, and when it was to begin, as it was called when it was paid.
    title          text        not null,
    starts_at      timestamptz not null,
    time_zone      text        not null,
    -- How the place was bought.
    channel        text        not null,
    -- Word of the order's code; null without one.
    code           text,
    -- When it was paid or given back.
    at             timestamptz not null,
    -- Points that came to the house; negative for what it gave back.
    points         bigint      not null,
    -- Money of one point then; null where points were not sold for money.
    currency       text,
    point_minor    integer,
    -- Tax that the prices contained then; null: none is stated. What is given back has the rate of what was paid.
    tax_rate_bp    integer,

    constraint sale_entries_pkey primary key (id),
    constraint sale_entries_reference_key unique (reference_id, kind),
    constraint sale_entries_payment_id_fkey foreign key (payment_id) references payments (id),
    constraint sale_entries_schedule_of_program
        foreign key (schedule_id, program_id) references schedules (id, program_id),
    constraint sale_entries_kind_known check (kind in ('PAYMENT', 'REFUND', 'TICKET_REFUND', 'RESALE')),
    constraint sale_entries_channel_known check (channel in ('ONLINE', 'SHARED', 'WAITING_LIST', 'RESALE')),
    constraint sale_entries_sign check (case when kind = 'PAYMENT' then points >= 0 else points <= 0 end),
    constraint sale_entries_currency_code check (currency ~ '^[A-Z]{3}$'),
    constraint sale_entries_money_has_its_price check ((currency is null) = (point_minor is null) and point_minor > 0),
    constraint sale_entries_tax_rate_range check (tax_rate_bp between 0 and 10000),
    constraint sale_entries_tax_is_of_money check (tax_rate_bp is null or currency is not null)
);

-- What is given back finds what was paid.
create index sale_entries_payment_id on sale_entries (payment_id);
-- A settlement of a period, and of a show. The condition is stated by the statements of a show only, for the reason given
-- at `schedule_seats_available`.
create index sale_entries_at on sale_entries (at);
create index sale_entries_program_id on sale_entries (program_id, at) where channel <> '';
create index sale_entries_schedule_id on sale_entries (schedule_id);

create table sale_entry_lines (
    entry_id   uuid    not null,
    number     integer not null,
    -- Item of the order. Nothing refers to it, so that a rehearsal's items are deleted without a look at these lines.
    item_id    uuid    not null,
    -- Names, as they were when it was booked.
    section    text    not null,
    -- Null at the ordinary price.
    price_type text,
    -- Places that were sold; negative for those that came back.
    places     integer not null,
    -- Points that the places cost, less the discount; negative for those that came back.
    price      bigint  not null,
    -- Points that a code took off.
    discount   bigint  not null default 0,
    -- Points of places that came back which the house keeps.
    fee        bigint  not null default 0,
    -- Tax in `price` and `fee`, in the smallest unit of the currency; null: none is stated.
    tax_minor  bigint,

    constraint sale_entry_lines_pkey primary key (entry_id, number),
    constraint sale_entry_lines_entry_id_fkey foreign key (entry_id) references sale_entries (id),
    constraint sale_entry_lines_number_positive check (number > 0)
);

create table receipts (
    -- 1, 2, 3 and so on, without a gap.
    number         bigint      not null,
    entry_id       uuid        not null,
    -- 1 for the first receipt of an entry; each further one replaces the one before.
    edition        integer     not null,
    account_id     uuid        not null,
    -- Name or company, as typed; empty: none.
    buyer          text        not null default '',
    -- Who sold, as the office said it then.
    seller         text        not null,
    seller_address text        not null,
    tax_number     text        not null,
    issued_at      timestamptz not null default clock_timestamp(),

    constraint receipts_pkey primary key (number),
    constraint receipts_entry_id_edition_key unique (entry_id, edition),
    constraint receipts_entry_id_fkey foreign key (entry_id) references sale_entries (id),
    constraint receipts_account_id_fkey foreign key (account_id) references accounts (id),
    constraint receipts_number_positive check (number > 0),
    constraint receipts_edition_range check (edition between 1 and 10),
    constraint receipts_buyer_length check (length(buyer) <= 200)
);

-- Receipts of one person, the newest first; its condition like the one above.
create index receipts_account_id on receipts (account_id, number desc) where edition > 0;
-- What a deletion of accounts looks for.
create index receipts_of_account on receipts (account_id);

-- How far is booked, and the next number: one row. The worker that books has locked it, and so has a receipt that
-- replaces another.
create table receipt_progress (
    only_row      boolean     not null default true,
    -- Everything up to this moment is booked, and what has this moment and an id up to this one.
    booked_until  timestamptz not null,
    booked_id     uuid        not null default '00000000-0000-0000-0000-000000000000',
    -- What was paid and given back from this moment on has a receipt.
    numbered_from timestamptz not null,
    next_number   bigint      not null default 1,

    constraint receipt_progress_pkey primary key (only_row),
    constraint receipt_progress_only_row check (only_row),
    constraint receipt_progress_next_number_positive check (next_number > 0)
);

insert into receipt_progress (booked_until, numbered_from)
select '2000-01-01Z', case when exists (select from payments) then clock_timestamp() else '2000-01-01Z' end;

create trigger sale_entries_append_only before update or delete on sale_entries
    for each row execute function refuse_change();
create trigger sale_entries_kept before truncate on sale_entries
    for each statement execute function refuse_change();
create trigger sale_entry_lines_append_only before update or delete on sale_entry_lines
    for each row execute function refuse_change();
create trigger sale_entry_lines_kept before truncate on sale_entry_lines
    for each statement execute function refuse_change();
create trigger receipts_append_only before update or delete on receipts
    for each row execute function refuse_change();
create trigger receipts_kept before truncate on receipts
    for each statement execute function refuse_change();
