-- Reversals that know of payouts (0084), and payouts by their state.
--
-- The provider's totals of a charge contain what the office paid out itself. A version before payouts would book
-- that as a reversal, and take points that the payout has taken already. So every reversal says that its writer
-- subtracted the payouts, and one that does not is refused where there are payouts: the provider's message is
-- delivered again, to a version that knows them.
alter table charge_reversals add column knows_payouts boolean not null default false;

create function refuse_reversal_beside_payouts() returns trigger language plpgsql as $$
begin
    raise exception 'a reversal of charge % does not know its payouts', new.charge_id
        using errcode = 'integrity_constraint_violation', constraint = 'charge_reversals_know_payouts';
end
$$;

create function has_payouts(charge uuid) returns boolean language sql stable as $$
    select exists (select from payouts where charge_id = charge)
$$;

create trigger charge_reversals_know_payouts
    before insert on charge_reversals
    for each row when (not new.knows_payouts and has_payouts(new.charge_id))
    execute function refuse_reversal_beside_payouts();

-- Payouts that have not ended, for administrators, the newest first. The failed ones have an index of their own.
create index payouts_under_way on payouts (id) where status in ('OPEN', 'SENT');
