-- Changes of what was sold that people were told of: the title, the length and the least age of a program, the name and
-- the address of a venue, the name of a zone.
--
-- A change of the start has its row in `schedule_moves`. What else a ticket says was changed without a word to those
-- who had bought it, and no page kept what it had said. From here on the transaction that changes it writes the mails,
-- as a move does, and keeps here what they say, so that the pages of each reservation say what was agreed. A change
-- of a draft, and one by a version before this one, has no row. No personal data is kept here; the audit
-- log says who changed it.
create table schedule_changes (
    schedule_id uuid        not null,
    -- What changed: TITLE, VENUE, ADDRESS, RUNNING_MINS, AGE_MIN, or ZONE, the name of a zone. No check names them, because a
    -- later version may tell of others beside this one.
    part        text        not null,
    -- Zone whose places it concerns; null: every place.
    zone_id     uuid,
    -- As it was, and as it is since.
    was         text        not null,
    is_now      text        not null,
    -- Of the office, as plain text.
    words       text,
    changed_at  timestamptz not null default clock_timestamp(),

    constraint schedule_changes_pkey primary key (schedule_id, changed_at, part),
    constraint schedule_changes_of_schedule
        foreign key (schedule_id) references schedules on delete cascade,
    constraint schedule_changes_zone_of_schedule
        foreign key (zone_id, schedule_id) references zones (id, schedule_id) on delete cascade,
    constraint schedule_changes_part_length check (length(part) between 1 and 40),
    constraint schedule_changes_was_length check (length(was) between 1 and 1000),
    constraint schedule_changes_is_now_length check (length(is_now) between 1 and 1000),
    constraint schedule_changes_words_length check (length(words) between 1 and 1000)
);
-- The changes of one zone.
create index schedule_changes_zone_id on schedule_changes (zone_id) where zone_id is not null;

-- What was agreed at `reserved_at` and is called otherwise now, of a performance and of these of its zones: an array
-- of objects with the part, what it was then, and the newest words about it. What is again as it was is left out. An
-- order that was begun before a change and written after it has a minute, as `told_move` gives it.
create function told_changes(schedule uuid, reserved_at timestamptz, zones uuid[])
returns jsonb language sql stable as $$
    select coalesce(
        jsonb_agg(jsonb_build_object('part', part, 'was', was, 'words', words) order by part, zone_id), '[]')
    from (
        select c.part, c.zone_id, (array_agg(c.was order by c.changed_at))[1] as was,
            (array_agg(c.is_now order by c.changed_at desc))[1] as is_now,
            (array_agg(c.words order by c.changed_at desc))[1] as words
        from schedule_changes c
        where c.schedule_id = schedule and c.changed_at > reserved_at - interval '1 minute'
            and (c.zone_id is null or c.zone_id = any(zones))
        group by c.part, c.zone_id
    ) told
    where was <> is_now
$$;
