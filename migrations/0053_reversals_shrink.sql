-- Refunds that fail, and disputes that begin as inquiries: a reversal gets smaller again.
--
-- What the provider says of returned money comes in any order, twice, and late. So each row says what
-- was told (an amount, and when it happened), and what a purchase has lost is computed from all rows of
-- its purchase. A row whose message changed nothing has no points, and stays, because an older message
-- that comes after it must change nothing either.
--
-- A version before this one fails where it meets a row of the new causes; the provider then delivers the
-- message again.

-- Minor units that the message named: returned so far, of the refund that failed, or in dispute. Null for
-- rows that are older than the column.
alter table charge_reversals add column amount_minor bigint;
-- When it happened, by the provider's clock; null where the message did not say.
alter table charge_reversals add column happened_at timestamptz;

-- REFUND: at least so much was returned. REFUND_TOTAL: exactly so much. REFUND_FAILED: a refund failed
-- or was cancelled, and its money is the office's again.
alter table charge_reversals drop constraint charge_reversals_cause_known;
alter table charge_reversals add constraint charge_reversals_cause_known
    check (cause in ('REFUND', 'REFUND_TOTAL', 'REFUND_FAILED', 'DISPUTE', 'DISPUTE_WON')) not valid;
alter table charge_reversals validate constraint charge_reversals_cause_known;
alter table charge_reversals drop constraint charge_reversals_sign;
alter table charge_reversals add constraint charge_reversals_sign
    check (points = 0 or cause = 'REFUND_TOTAL'
        or (cause in ('REFUND_FAILED', 'DISPUTE_WON')) = (points < 0)) not valid;
alter table charge_reversals validate constraint charge_reversals_sign;
alter table charge_reversals add constraint charge_reversals_amount_not_negative
    check (amount_minor >= 0) not valid;
alter table charge_reversals validate constraint charge_reversals_amount_not_negative;

-- As before, but a refund that failed takes a charge back to what it was, and a second dispute may follow
-- one that was won. The reversed points change only to the sum of the reversals, which are written first.
create or replace function refuse_charge_backward() returns trigger language plpgsql as $$
begin
    if (new.id, new.account_id, new.request_key, new.points, new.amount_minor, new.currency,
            new.provider, new.created_at, new.expires_at)
        is distinct from (old.id, old.account_id, old.request_key, old.points, old.amount_minor,
            old.currency, old.provider, old.created_at, old.expires_at)
        or new.provider_ref is distinct from old.provider_ref and old.provider_ref is not null
        or new.payment_ref is distinct from old.payment_ref and old.payment_ref is not null
        or new.unclaimed_at is distinct from old.unclaimed_at and old.settled_at is not null
        or new.reversed <> old.reversed and new.reversed is distinct from
            (select coalesce(sum(points), 0) from charge_reversals where charge_id = new.id)
        or new.status <> old.status and (old.status || ' ' || new.status) not in (
            'OPEN EXPIRED', 'OPEN FAILED', 'OPEN SETTLED', 'EXPIRED SETTLED', 'FAILED SETTLED',
            'SETTLED REFUNDED', 'SETTLED DISPUTED', 'DISPUTED REFUNDED', 'DISPUTED REINSTATED',
            'REINSTATED REFUNDED', 'REINSTATED DISPUTED', 'REFUNDED SETTLED', 'REFUNDED DISPUTED',
            'REFUNDED REINSTATED')
    then
        raise exception 'charge % cannot change from % to %', old.id, old.status, new.status
            using errcode = 'integrity_constraint_violation', constraint = 'charges_only_forward';
    end if;
    return new;
end
$$;
