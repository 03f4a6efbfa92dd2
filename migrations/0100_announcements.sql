-- What the office says to the people who wait for a show or are inside, such as why its line is paused, and until
-- when. The public log of moves has its beginning and its end, with the hashes of the words.

create table queue_announcements (
    id             uuid        primary key,
    program_id     uuid        not null references programs,
    -- Words of each language, by its tag.
    words          jsonb       not null,
    -- Whether it explains the pause of the line, and ends with it.
    is_of_pause    boolean     not null,
    -- Moment until which the office expects it to last; null: not said.
    expected_until timestamptz,
    made_at        timestamptz not null default clock_timestamp(),
    -- Null while it stands.
    ended_at       timestamptz,

    constraint queue_announcements_have_words
        check (jsonb_typeof(words) = 'object' and words <> '{}'::jsonb)
);
-- Of each kind one stands at most.
create unique index queue_announcements_standing on queue_announcements (program_id, is_of_pause)
    where ended_at is null;
create index queue_announcements_program_id on queue_announcements (program_id, made_at desc);

create trigger queue_announcements_append_only
    before update on queue_announcements
    for each row when ((new.id, new.program_id, new.words, new.is_of_pause, new.expected_until, new.made_at)
            is distinct from
            (old.id, old.program_id, old.words, old.is_of_pause, old.expected_until, old.made_at)
        or old.ended_at is not null)
    execute function refuse_change();
create trigger queue_announcements_not_deleted
    before delete on queue_announcements
    for each row when (not is_throwaway(old.program_id)) execute function refuse_change();
create trigger queue_announcements_kept
    before truncate on queue_announcements
    for each statement execute function refuse_change();

alter table queue_moves drop constraint queue_moves_kind_known;
alter table queue_moves drop constraint queue_moves_of_no_number;
-- ANNOUNCED: the office said something to the line; ANNOUNCEMENT_ENDED: it does not stand any more.
alter table queue_moves add constraint queue_moves_kind_known
    check (kind in ('ADMITTED', 'LET_IN', 'PARKED', 'RETURNED', 'LEFT', 'PURGE', 'RULES',
        'DRAW_ANNOUNCED', 'DRAW_WITHDRAWN', 'DRAW_CLOSED', 'DRAW_REVEALED',
        'WISH_MADE', 'WISH_OFFERED', 'WISH_LEFT', 'WISH_ENDED', 'GATE_MADE', 'GATE_ADMITTED',
        'ANNOUNCED', 'ANNOUNCEMENT_ENDED')) not valid;
alter table queue_moves add constraint queue_moves_of_no_number
    check ((kind in ('RULES', 'GATE_MADE', 'ANNOUNCED', 'ANNOUNCEMENT_ENDED')
            or kind like 'DRAW\_%' or kind like 'WISH\_%')
        = (queue_number is null)) not valid;

create function log_announcement() returns trigger language plpgsql as $$
begin
    if tg_op = 'UPDATE' then
        insert into queue_moves (program_id, kind, detail)
        values (new.program_id, 'ANNOUNCEMENT_ENDED', json_build_object('announcement', new.id)::text);
        return null;
    end if;
    insert into queue_moves (program_id, kind, detail)
    values (new.program_id, 'ANNOUNCED', json_build_object(
        'announcement', new.id,
        'pause', new.is_of_pause,
        'until', to_char(new.expected_until at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"'),
        -- The constraint of one line holds whatever the words are: they are only there as hashes.
        'sha256', (
            select json_object_agg(key, encode(sha256(convert_to(value, 'UTF8')), 'hex') order by key)
            from jsonb_each_text(new.words)))::text);
    return null;
end
$$;
create trigger queue_announcements_logged
    after insert or update of ended_at on queue_announcements
    for each row execute function log_announcement();

alter table queue_moves validate constraint queue_moves_kind_known;
alter table queue_moves validate constraint queue_moves_of_no_number;

-- What stands of a program, as its pages and programs of others read it: the explanation of a pause first.
create function standing_announcements(_program uuid) returns jsonb language sql stable as $$
    select coalesce(jsonb_agg(jsonb_build_object('id', id, 'words', words, 'is_of_pause', is_of_pause,
        'expected_until', expected_until, 'made_at', made_at) order by is_of_pause desc), '[]')
    from queue_announcements
    where program_id = _program and ended_at is null
$$;
