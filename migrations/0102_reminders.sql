-- Reminders of performances: letters that no one types. The workers release one for each performance that is near, and
-- its mails are written as those of other letters are. They say when the doors open, where that was said.

-- Null: not said.
alter table programs
    add column doors_before_mins integer,
    add constraint programs_doors_before_mins_range check (doors_before_mins between 1 and 480);

create table reminder_settings (
    program_id   uuid     primary key references programs on delete cascade,
    -- Hours before each performance at which the holders of its tickets are reminded; null: they are not.
    hours_before smallint,

    constraint reminder_settings_hours_before_range check (hours_before between 2 and 168)
);

alter table office_letters
    -- Start that a reminder tells; null for a letter that staff wrote.
    add column reminds_of timestamptz,
    drop constraint office_letters_have_words,
    add constraint office_letters_have_words
        check (jsonb_typeof(texts) = 'object' and (texts = '{}'::jsonb) = (reminds_of is not null)),
    add constraint office_letters_reminder_is_of_one_performance
        check (reminds_of is null or cardinality(schedule_ids) = 1);
-- A performance has one reminder of each start.
create unique index office_letters_reminders on office_letters ((schedule_ids[1]), reminds_of)
    where reminds_of is not null;
-- Performances that begin soon.
create index schedules_starts_at on schedules (starts_at) where cancelled_at is null;
-- Mails of a letter, to count what became of them.
create index outbox_letters on outbox ((payload ->> 'letter_id'))
    where kind in ('office-letter', 'reminder');
