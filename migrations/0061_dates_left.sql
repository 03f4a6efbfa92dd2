-- What is left of a program's performances, once one of them was cancelled.
--
-- A program whose last performance is cancelled alone has nothing to sell, though its row says that it is
-- published: its line ends as if the program itself had been cancelled. Nothing of that is stored, so two
-- performances may be cancelled at once, and a performance that is added later puts the program on sale again.
--
-- SOME:      a performance is still to come, or none was cancelled.
-- PLAYED:    those that were not cancelled have begun.
-- CANCELLED: each was cancelled.
create function dates_left(program uuid) returns text language sql stable as $$
    select case
        when not exists (select from schedules where program_id = program and cancelled_at is not null)
            then 'SOME'
        when exists (
            select from schedules
            where program_id = program and cancelled_at is null and starts_at > statement_timestamp())
            then 'SOME'
        when exists (select from schedules where program_id = program and cancelled_at is null)
            then 'PLAYED'
        else 'CANCELLED'
    end
$$;
