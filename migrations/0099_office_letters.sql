-- Letters that the office writes to the people who hold tickets of a show: drafted, seen, tested, and then written into
-- the outbox in parts by the workers, which go on where another one died.

alter table accounts
    -- Whether letters about shows are wanted for which the account has tickets; the ones that are necessary come anyway.
    add column mails_letters boolean not null default true;

create table office_letters (
    id              uuid        primary key,
    program_id      uuid        not null references programs,
    -- Performances whose holders of tickets get it, as they were chosen when it was drafted.
    schedule_ids    uuid[]      not null,
    -- Section or zone by the name that was typed, for pages; null: any.
    section         text,
    -- Zones that the name meant then.
    zone_ids        uuid[]      not null,
    -- Price type by the name that was typed, for pages; null: any.
    price_type      text,
    -- Terms that the name meant then.
    price_type_ids  uuid[]      not null,
    -- Whether only holders get it who have not come yet.
    is_for_absent   boolean     not null,
    -- Whether it cannot be declined.
    is_necessary    boolean     not null,
    -- Subject and words of each language, by its tag.
    texts           jsonb       not null,
    -- DRAFT; PLANNED: written from `send_at` on; WRITTEN: each recipient has a mail; STOPPED.
    status          text        not null default 'DRAFT',
    send_at         timestamptz,
    -- Last account that has its mail, in the order of ids; null before the first.
    last_account_id uuid,
    -- Accounts that were written to, the ones who declined such letters included.
    n_accounts      bigint      not null default 0,
    settled_at      timestamptz,
    created_at      timestamptz not null default clock_timestamp(),

    constraint office_letters_status_known check (status in ('DRAFT', 'PLANNED', 'WRITTEN', 'STOPPED')),
    constraint office_letters_planned_has_its_time
        check (status not in ('PLANNED', 'WRITTEN') or send_at is not null),
    constraint office_letters_settled_has_its_time
        check ((status in ('WRITTEN', 'STOPPED')) = (settled_at is not null)),
    constraint office_letters_n_accounts_not_negative check (n_accounts >= 0),
    constraint office_letters_have_words
        check (jsonb_typeof(texts) = 'object' and texts <> '{}'::jsonb),
    constraint office_letters_section_length check (length(section) between 1 and 100),
    constraint office_letters_price_type_length check (length(price_type) between 1 and 100)
);
create index office_letters_program_id on office_letters (program_id);
-- All terms of the types of a performance, also the ones that are not current any more.
create index price_types_schedule_id on price_types (schedule_id, series_id);
create index office_letters_due on office_letters (send_at) where status = 'PLANNED';
