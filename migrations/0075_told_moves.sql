-- Moves of performances that people were told of, and what these people may do since.
--
-- A row of `schedule_moves` says when a performance was moved, and until when the new start allows a refund. Where
-- people had tickets, held places or waited for some, they are told of the move in its transaction, so the row keeps
-- what they are told: both starts, the office's words, and until when they may give everything back in full, whatever
-- the terms of their order. A move that concerned nobody, and one by a version before this one, leaves these columns
-- null. No personal data is kept here; the audit log says who moved the performance.
alter table schedule_moves
    -- Named by the mails about the move.
    add column id uuid not null default gen_random_uuid(),
    -- Start before and after the move.
    add column was_at timestamptz,
    add column is_at timestamptz,
    -- Plain text.
    add column words text,
    add column full_refund_until timestamptz,
    add constraint schedule_moves_id_key unique (id),
    add constraint schedule_moves_told_whole check (
        (was_at is null) = (is_at is null) and (was_at is null) = (full_refund_until is null)
        and (words is null or was_at is not null)),
    add constraint schedule_moves_words_length check (length(words) between 1 and 1000);

-- What the moves of a performance mean for a reservation that was made at `reserved_at`, before them: the start that
-- was agreed, the newest words, and until when everything is refunded. No row: the performance has not moved since, or
-- its moves concerned nobody. A later move does not take back what an earlier one promised, but the promise ends with
-- the start, or a day after the last move where the start comes sooner than that.
create function told_move(schedule uuid, reserved_at timestamptz)
returns table (was_at timestamptz, words text, full_refund_until timestamptz) language sql stable as $$
    select (array_agg(m.was_at order by m.moved_at))[1], (array_agg(m.words order by m.moved_at desc))[1],
        least(max(m.full_refund_until), greatest(s.starts_at, max(m.moved_at) + interval '1 day'))
    from schedules s
    join schedule_moves m on m.schedule_id = s.id
    where s.id = schedule and m.moved_at > reserved_at and m.was_at is not null
    group by s.starts_at
$$;
