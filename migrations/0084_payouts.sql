-- Payouts: money of charges that goes back the way it came.
--
-- Until now money came in and never went out: a refund was points. A payout is one attempt to send money of
-- one charge back to the card that paid it. Its row is written with the entry that takes the points out of
-- the wallet, before the provider is asked, and the key of the request is its id: a process that dies, and
-- an answer that is lost, send nothing twice. A payout that fails gives its points back by an entry of its
-- own.
--
-- A version before this one does not send payouts, and makes none. It fails where it shows an entry of the
-- new kinds, or meets a reversal of the new cause, as versions before others did.

create table payouts (
    -- Also the key of the request at the provider, and the reference of its entries.
    id             uuid        primary key,
    charge_id      uuid        not null references charges,
    -- Order whose refund it is part of; null for points of the wallet.
    reservation_id uuid        references reservations,
    -- Performance of that order.
    schedule_id    uuid        references schedules,
    -- Payout that failed, which this one tries again.
    retry_of       uuid        references payouts,
    points         bigint      not null,
    -- Minor units of the charge's currency.
    amount_minor   bigint      not null,
    status         text        not null default 'OPEN',
    -- Name of the refund at the provider; null until its answer has arrived.
    refund_ref     text,
    -- Reason of the provider for a failure.
    failure        text,
    created_at     timestamptz not null default clock_timestamp(),
    -- First request to the provider, which is committed before it.
    sent_at        timestamptz,
    ended_at       timestamptz,
    -- When the provider is asked next, and how often it was; 'infinity' means never again.
    check_at       timestamptz not null default clock_timestamp(),
    n_checks       integer     not null default 0,

    constraint payouts_refund_ref_key unique (refund_ref),
    constraint payouts_retry_of_key unique (retry_of),
    constraint payouts_order_has_its_performance
        check ((reservation_id is null) = (schedule_id is null)),
    constraint payouts_points_positive check (points > 0),
    constraint payouts_amount_positive check (amount_minor > 0),
    -- OPEN: the provider was not asked. SENT: asked, and its answer is missing or not final. SETTLED: the
    -- money is on its way to the card. FAILED: it is not, and the points came back.
    constraint payouts_status_known check (status in ('OPEN', 'SENT', 'SETTLED', 'FAILED')),
    constraint payouts_open_was_not_sent check (status <> 'OPEN' or sent_at is null and refund_ref is null),
    constraint payouts_sent_has_its_time check (status not in ('SENT', 'SETTLED') or sent_at is not null),
    constraint payouts_settled_has_its_name check (status <> 'SETTLED' or refund_ref is not null),
    constraint payouts_failed_has_its_reason check ((status = 'FAILED') = (failure is not null)),
    constraint payouts_ended_has_its_time
        check ((status in ('SETTLED', 'FAILED')) = (ended_at is not null))
);

-- Payouts about which the provider is to be asked, for a worker. The statement of the worker alone states the
-- condition.
create index payouts_due on payouts (check_at, id) where check_at < 'infinity';
create index payouts_charge_id on payouts (charge_id);
create index payouts_reservation_id on payouts (reservation_id) where reservation_id is not null;
create index payouts_schedule_id on payouts (schedule_id, id) where schedule_id is not null;
-- Payouts that failed, for administrators, who try them again.
create index payouts_failed on payouts (id) where status = 'FAILED';

-- What was asked for never changes, and a status only goes forward. What the provider has sent may still fail.
create function refuse_payout_backward() returns trigger language plpgsql as $$
begin
    if (new.id, new.charge_id, new.reservation_id, new.schedule_id, new.retry_of, new.points, new.amount_minor, new.created_at)
        is distinct from (old.id, old.charge_id, old.reservation_id, old.schedule_id, old.retry_of, old.points,
            old.amount_minor, old.created_at)
        or new.refund_ref is distinct from old.refund_ref and old.refund_ref is not null
        or new.sent_at is distinct from old.sent_at and old.sent_at is not null
        or new.failure is distinct from old.failure and old.failure is not null
        or new.status <> old.status and (old.status || ' ' || new.status) not in (
            'OPEN SENT', 'SENT SETTLED', 'SENT FAILED', 'SETTLED FAILED')
    then
        raise exception 'payout % cannot change from % to %', old.id, old.status, new.status
            using errcode = 'integrity_constraint_violation', constraint = 'payouts_only_forward';
    end if;
    return new;
end
$$;

create trigger payouts_only_forward
    before update on payouts
    for each row execute function refuse_payout_backward();
create trigger payouts_not_deleted
    before delete on payouts
    for each row execute function refuse_change();
create trigger payouts_kept
    before truncate on payouts
    for each statement execute function refuse_change();

-- Points of a charge that payouts have taken out, less the failed ones.
alter table charges add column paid_out bigint not null default 0;
alter table charges add constraint charges_paid_out_within_points
    check (0 <= paid_out and paid_out + reversed <= points) not valid;
alter table charges validate constraint charges_paid_out_within_points;

-- As before, and the points that were paid out change only to the sum of the payouts, which are written first.
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
        or new.paid_out <> old.paid_out and new.paid_out is distinct from
            (select coalesce(sum(points), 0) from payouts where charge_id = new.id and status <> 'FAILED')
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

-- PAYOUT_FAILED: money of the charge was returned or is in dispute whose points a payout had taken, and the
-- payout has failed.
alter table charge_reversals drop constraint charge_reversals_cause_known;
alter table charge_reversals add constraint charge_reversals_cause_known
    check (cause in ('REFUND', 'REFUND_TOTAL', 'REFUND_FAILED', 'DISPUTE', 'DISPUTE_WON',
                     'PAYOUT_FAILED')) not valid;
alter table charge_reversals validate constraint charge_reversals_cause_known;

alter table point_transactions drop constraint point_transactions_kind_known;
alter table point_transactions add constraint point_transactions_kind_known
    check (kind in ('CHARGE', 'PURCHASE', 'REVERSAL', 'REINSTATEMENT', 'PAYMENT', 'REFUND',
                    'RESALE', 'PAYOUT', 'PAYOUT_RETURN', 'ADJUSTMENT', 'WRITE_OFF', 'FORFEIT', 'TRANSFER_HOLD',
                    'TRANSFER_RELEASE', 'TRANSFER_OUT', 'TRANSFER_IN', 'SHARE_HOLD', 'SHARE_RELEASE')) not valid;
alter table point_transactions validate constraint point_transactions_kind_known;
