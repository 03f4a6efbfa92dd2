-- A move of a performance, and an order that is being made meanwhile.
--
-- The order reads the old start before the move commits, and is written after it, with a moment that may lie behind
-- the move's. What such an order is told and may do was decided by the two moments alone, so it had no right to its
-- money, though its buyer had agreed to the old start. The refund deadline of a moved performance has always allowed a
-- minute for that, many times the length of a transaction; what a move means for an order allows the same minute: an
-- order that is made in the minute after a move has the right too.
create or replace function told_move(schedule uuid, reserved_at timestamptz)
returns table (was_at timestamptz, words text, full_refund_until timestamptz) language sql stable as $$
    select (array_agg(m.was_at order by m.moved_at))[1], (array_agg(m.words order by m.moved_at desc))[1],
        least(max(m.full_refund_until), greatest(s.starts_at, max(m.moved_at) + interval '1 day'))
    from schedules s
    join schedule_moves m on m.schedule_id = s.id
    where s.id = schedule and m.moved_at > reserved_at - interval '1 minute' and m.was_at is not null
    group by s.starts_at
$$;
