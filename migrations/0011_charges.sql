-- Charges at a payment provider: points bought with money, and money that was returned.
--
-- A charge is committed before the provider is asked, so that no money can arrive for a charge that
-- nobody knows. It is settled in the transaction that writes its entry into the ledger. Points of
-- the demo provider cost no money and have an entry (`CHARGE`) without a row here.

create table charges (
    -- Also the key under which the provider makes one checkout, and the reference of the entry.
    id             uuid        primary key,
    account_id     uuid        not null references accounts,
    -- Request key of the form: a second click finds the first one's charge.
    request_key    uuid        not null,
    points         bigint      not null,
    amount_minor   bigint      not null,
    currency       text        not null,
    provider       text        not null,
    -- Name of the checkout at the provider; null until its answer has arrived.
    provider_ref   text,
    -- Name of the payment at the provider, by which refunds and disputes refer to it.
    payment_ref    text,
    checkout_url   text,
    -- Reservation that the points were bought for, to be paid once they are there.
    reservation_id uuid        references reservations,
    -- Whether that payment is still to be tried.
    pays           boolean     not null,
    -- Page to which the person returns.
    next_path      text        not null,
    status         text        not null default 'OPEN',
    -- Points taken back so far, also those that are owed.
    reversed       bigint      not null default 0,
    created_at     timestamptz not null default clock_timestamp(),
    -- End of the checkout at the provider.
    expires_at     timestamptz not null,
    settled_at     timestamptz,
    -- When the provider is asked next, and how often it was.
    check_at       timestamptz not null,
    n_checks       integer     not null default 0,

    constraint charges_request_key unique (account_id, request_key),
    constraint charges_provider_ref_key unique (provider_ref),
    constraint charges_payment_ref_key unique (payment_ref),
    constraint charges_points_positive check (points > 0),
    constraint charges_amount_positive check (amount_minor > 0),
    constraint charges_currency_code check (currency ~ '^[A-Z]{3}$'),
    constraint charges_provider_known check (provider in ('STRIPE')),
    -- OPEN: unpaid as far as is known. EXPIRED: ended unpaid. FAILED: refused by the provider, or
    -- never answered for. SETTLED: paid, and the points credited. REFUNDED: all money returned.
    -- DISPUTED: the money withdrawn by the payer's bank. REINSTATED: the dispute was won.
    constraint charges_status_known
        check (status in ('OPEN', 'EXPIRED', 'FAILED', 'SETTLED', 'REFUNDED', 'DISPUTED',
                          'REINSTATED')),
    constraint charges_settled_has_its_time
        check ((status in ('OPEN', 'EXPIRED', 'FAILED')) = (settled_at is null)),
    constraint charges_settled_has_its_payment
        check (settled_at is null or provider_ref is not null and payment_ref is not null),
    constraint charges_reversed_within_points check (0 <= reversed and reversed <= points),
    constraint charges_unsettled_reverses_nothing check (settled_at is not null or reversed = 0),
    constraint charges_pays_a_reservation check (not pays or reservation_id is not null)
);

-- Charges whose provider is to be asked, for a worker. The second condition is true for every open
-- row, and only this index's own statement states it, as explained at `schedule_seats_available`.
create index charges_due on charges (check_at, id) where status = 'OPEN' and settled_at is null;
-- Settled charges whose reservation is to be paid.
create index charges_to_pay on charges (settled_at, id) where pays and status = 'SETTLED';
-- Charges of a day, for the administrators' file.
create index charges_created_at on charges (created_at, id);
create index charges_reservation_id on charges (reservation_id) where reservation_id is not null;

-- What was agreed never changes, and a status only goes forward. Money that arrives late still
-- becomes points, so an expired or failed charge may be settled.
create function refuse_charge_backward() returns trigger language plpgsql as $$
begin
    if (new.id, new.account_id, new.request_key, new.points, new.amount_minor, new.currency,
            new.provider, new.created_at, new.expires_at)
        is distinct from (old.id, old.account_id, old.request_key, old.points, old.amount_minor,
            old.currency, old.provider, old.created_at, old.expires_at)
        or new.provider_ref is distinct from old.provider_ref and old.provider_ref is not null
        or new.payment_ref is distinct from old.payment_ref and old.payment_ref is not null
        or new.reversed < old.reversed and new.status <> 'REINSTATED'
        or new.status <> old.status and (old.status || ' ' || new.status) not in (
            'OPEN EXPIRED', 'OPEN FAILED', 'OPEN SETTLED', 'EXPIRED SETTLED', 'FAILED SETTLED',
            'SETTLED REFUNDED', 'SETTLED DISPUTED', 'DISPUTED REFUNDED', 'DISPUTED REINSTATED',
            'REINSTATED REFUNDED')
    then
        raise exception 'charge % cannot change from % to %', old.id, old.status, new.status
            using errcode = 'integrity_constraint_violation', constraint = 'charges_only_forward';
    end if;
    return new;
end
$$;

create trigger charges_only_forward
    before update on charges
    for each row execute function refuse_charge_backward();
create trigger charges_not_deleted
    before delete on charges
    for each row when (not is_throwaway(old.account_id)) execute function refuse_change();
create trigger charges_kept
    before truncate on charges
    for each statement execute function refuse_change();

-- Points taken back because money was returned, and given back after a dispute was won.
-- Append-only.
create table charge_reversals (
    -- Also the reference of its entry in the ledger.
    id           uuid        primary key,
    charge_id    uuid        not null references charges,
    cause        text        not null,
    -- What the provider calls it: the dispute, or the amount refunded so far.
    cause_ref    text        not null,
    -- Points that the change is worth; negative for a dispute that was won.
    points       bigint      not null,
    -- Part of them that left the wallet, or came back into it. The rest is a debt.
    moved        bigint      not null,
    created_at   timestamptz not null default clock_timestamp(),

    -- One message, however often it is delivered.
    constraint charge_reversals_cause_key unique (charge_id, cause, cause_ref),
    constraint charge_reversals_cause_known check (cause in ('REFUND', 'DISPUTE', 'DISPUTE_WON')),
    constraint charge_reversals_sign check ((cause = 'DISPUTE_WON') = (points < 0) or points = 0),
    constraint charge_reversals_moved_within_points
        check (points >= 0 and 0 <= moved and moved <= points
            or points < 0 and points <= moved and moved <= 0)
);

create trigger charge_reversals_append_only
    before update or delete on charge_reversals
    for each row execute function refuse_change();
create trigger charge_reversals_kept
    before truncate on charge_reversals
    for each statement execute function refuse_change();

-- Points that were taken back and had been spent: withheld from what the wallet has, until points
-- cover them.
alter table wallets add column debt bigint not null default 0;
alter table wallets add constraint wallets_debt_not_negative check (debt >= 0);

alter table point_transactions drop constraint point_transactions_kind_known;
alter table point_transactions add constraint point_transactions_kind_known
    check (kind in ('CHARGE', 'PURCHASE', 'REVERSAL', 'REINSTATEMENT', 'PAYMENT', 'REFUND',
                    'ADJUSTMENT', 'TRANSFER_HOLD', 'TRANSFER_RELEASE', 'TRANSFER_OUT',
                    'TRANSFER_IN')) not valid;
alter table point_transactions validate constraint point_transactions_kind_known;
