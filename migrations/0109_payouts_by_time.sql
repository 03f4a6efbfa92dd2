-- Payouts of a span of time, to be compared with the refunds that the payment provider lists. The condition is stated by
-- its statement only, for the reason given at `schedule_seats_available`.
create index payouts_created_at on payouts (created_at, id) where amount_minor > 0;

-- What staff sent back of a charge at the provider, as far as it is booked, in the smallest unit of its currency: the most
-- that a message said of it. The provider's totals contain the office's own payouts.
create function booked_back(charge uuid) returns bigint language sql stable as $$
    select greatest(0, coalesce(max(case when r.cause = 'REFUND_TOTAL' then r.minor - p.minor else r.minor end), 0))::bigint
    from (
        select cause, coalesce(amount_minor, case when cause_ref ~ '^[0-9]{1,18}$' then cause_ref::bigint end) as minor
        from charge_reversals
        where charge_id = charge and cause in ('REFUND', 'REFUND_TOTAL')
    ) r
    cross join (
        select coalesce(sum(amount_minor), 0) as minor from payouts where charge_id = charge and status <> 'FAILED'
    ) p
$$;
