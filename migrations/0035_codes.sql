-- Codes of a program: whoever orders with one pays less, and hidden sections, which only those see who
-- have redeemed a code that opens them.
--
-- A code takes a percentage or a number of points off the sum of an order's prices, never more than the
-- sum. The prices of the items stay what they are; what is taken off is the reservation's `discount`,
-- and its `total` is what is paid. A use is counted in the transaction that makes the hold, under the
-- lock of the code's row, and given back in the one that ends the reservation, unpaid or refunded.
create table sale_codes (
    id                   uuid        primary key,
    program_id           uuid        not null references programs,
    -- As people type it, in capitals.
    word                 text        not null,
    -- Whether it opens a section instead of taking something off: its uses are redemptions then.
    is_access            boolean     not null default false,
    -- Percentage or points taken off; exactly one of them, none of an access code.
    percent              integer,
    amount               bigint,
    -- When a hold may begin with it, the end left out; null: without a bound.
    valid_from           timestamptz,
    valid_until          timestamptz,
    -- Live reservations that may have it, of all accounts and of one; null: any number.
    uses_max             integer,
    uses_per_account_max integer,
    -- Only performance, and only section or zone by its name, that it is for; null: all of them.
    schedule_id          uuid,
    section              text,
    -- Reservations that have it and are held or paid; redemptions of an access code.
    uses                 integer     not null default 0,
    -- Since when nobody can use it; its word is free again.
    withdrawn_at         timestamptz,
    created_at           timestamptz not null default clock_timestamp(),

    constraint sale_codes_schedule_of_program
        foreign key (schedule_id, program_id) references schedules (id, program_id),
    -- Target of the composite key in `reservations`.
    constraint sale_codes_id_program_id_key unique (id, program_id),
    constraint sale_codes_word_form check (word ~ '^[A-Z0-9-]{3,32}$'),
    constraint sale_codes_percent_or_amount
        check (num_nonnulls(percent, amount) = case when is_access then 0 else 1 end),
    constraint sale_codes_access_opens_section
        check (not is_access or section is not null and uses_per_account_max is null),
    constraint sale_codes_percent_range check (percent between 1 and 100),
    constraint sale_codes_amount_positive check (amount > 0),
    constraint sale_codes_valid_in_order check (valid_from < valid_until),
    constraint sale_codes_uses_max_positive check (uses_max > 0),
    constraint sale_codes_uses_per_account_max_positive check (uses_per_account_max > 0),
    constraint sale_codes_uses_within_max check (uses >= 0 and uses <= uses_max),
    constraint sale_codes_section_length check (length(section) between 1 and 100)
);

-- A word is one code at a time.
create unique index sale_codes_word_key on sale_codes (program_id, word) where withdrawn_at is null;
-- The codes of a program, newest first, for administrators.
create index sale_codes_program_id on sale_codes (program_id, id desc);

-- Refuses other terms than those with which people reserved: a page shows them before the order. How many
-- may use it may change, and a code is withdrawn for good.
create function refuse_change_of_code() returns trigger language plpgsql as $$
begin
    if tg_op = 'DELETE'
        or (new.id, new.program_id, new.word, new.is_access, new.percent, new.amount, new.valid_from, new.valid_until,
            new.uses_per_account_max, new.schedule_id, new.section, new.created_at)
        is distinct from (old.id, old.program_id, old.word, old.is_access, old.percent, old.amount, old.valid_from,
            old.valid_until, old.uses_per_account_max, old.schedule_id, old.section, old.created_at)
        or new.withdrawn_at is distinct from old.withdrawn_at and old.withdrawn_at is not null
    then
        raise exception 'code % keeps its terms', old.id
            using errcode = 'integrity_constraint_violation', constraint = 'sale_codes_kept';
    end if;
    return new;
end
$$;
create trigger sale_codes_kept
    before update or delete on sale_codes
    for each row execute function refuse_change_of_code();

alter table reservations
    -- Points that the code takes off the sum of the items' prices.
    add column discount bigint not null default 0,
    -- Code with which it was made; null: without one.
    add column sale_code_id uuid,
    add constraint reservations_discount_not_negative check (discount >= 0),
    add constraint reservations_discount_of_code check (discount = 0 or sale_code_id is not null),
    add constraint reservations_of_sale_code
        foreign key (sale_code_id, program_id) references sale_codes (id, program_id);
-- The reservations that have a code: those past their end give their use back to whoever finds it used
-- up.
create index reservations_sale_code_id on reservations (sale_code_id, status, expires_at)
    where sale_code_id is not null;

-- Accounts that have redeemed an access code, once each. It opens its section to them while it is valid.
create table code_redemptions (
    account_id   uuid        not null references accounts,
    sale_code_id uuid        not null references sale_codes,
    redeemed_at  timestamptz not null default clock_timestamp(),

    constraint code_redemptions_pkey primary key (account_id, sale_code_id)
);
-- The redemptions of a code.
create index code_redemptions_sale_code_id on code_redemptions (sale_code_id);

-- A hidden section or zone is on no map and in no count, and nobody holds anything of it but those to
-- whom a code has opened it. Its free seats are HIDDEN, so that what counts, finds or offers AVAILABLE
-- seats never meets them.
alter table schedule_seats
    -- Since when; null: not hidden.
    add column hidden_at timestamptz,
    drop constraint schedule_seats_status_known,
    add constraint schedule_seats_status_known
        check (status in ('AVAILABLE', 'HELD', 'RESERVED', 'BLOCKED', 'HIDDEN')),
    add constraint schedule_seats_free_as_hidden
        check (case status when 'HIDDEN' then hidden_at is not null
                           when 'AVAILABLE' then hidden_at is null else true end);
alter table zones
    add column hidden_at timestamptz;
alter table schedules
    -- Number of times that something of it was hidden or shown again; 0: it never had anything hidden.
    add column hidden_version bigint not null default 0;
