-- Returns that their sellers want back while a buyer holds the place.
--
-- Until now such a request was refused, and one who held the place again and again kept the seller from
-- the own ticket. The request is kept: the buyer's hold runs to its end, and where it ends unpaid the
-- return ends with it, so nobody else can hold the place in between.

alter table ticket_returns
    -- When the seller asked for the ticket while somebody held it. Null: not asked for.
    add column wanted_back_at timestamptz;

-- Refuses a second end of a return, and a change of what was agreed.
create or replace function refuse_change_of_return() returns trigger language plpgsql as $$
begin
    if old.status <> 'OPEN' or to_jsonb(new) - '{status,settled_at,wanted_back_at}'::text[]
        <> to_jsonb(old) - '{status,settled_at,wanted_back_at}'::text[]
        or old.wanted_back_at is not null and new.wanted_back_at is distinct from old.wanted_back_at
    then
        raise exception 'return % has ended, or was agreed otherwise', old.id
            using errcode = 'integrity_constraint_violation', constraint = 'ticket_returns_end_once';
    end if;
    return new;
end
$$;
