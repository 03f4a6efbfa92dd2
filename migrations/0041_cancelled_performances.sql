-- Performances that are cancelled alone, while the others of their program go on selling.
--
-- From the cancellation on nothing of the performance is held, paid, offered or handed over, as if its
-- program were cancelled. Workers give back what was held and paid, each reservation in a transaction of
-- its own; the rows say what is left.

alter table schedules
    -- When the performance was cancelled, and when the last of its holds and tickets was ended and
    -- refunded.
    add column cancelled_at timestamptz,
    add column wound_down_at timestamptz,
    add constraint schedules_wound_down_was_cancelled
        check (wound_down_at is null or cancelled_at is not null) not valid;
alter table schedules validate constraint schedules_wound_down_was_cancelled;

-- Cancelled performances of which something has still to be refunded.
create index schedules_winding_down on schedules (id)
    where cancelled_at is not null and wound_down_at is null;

-- Refuses to take a cancellation back: people were told of it, and have their points again.
create function refuse_uncancelling() returns trigger language plpgsql as $$
begin
    raise exception 'performance % was cancelled', old.id
        using errcode = 'integrity_constraint_violation', constraint = 'schedules_cancelled_is_final';
end
$$;

create trigger schedules_cancelled_is_final
    before update of cancelled_at on schedules
    for each row
    when (old.cancelled_at is not null and new.cancelled_at is distinct from old.cancelled_at)
    execute function refuse_uncancelling();
