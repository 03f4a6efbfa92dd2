-- Deleted accounts, the points that their owners gave up, money that arrives after a deletion, and
-- debts that administrators wrote off.
--
-- The row of a deleted account stays, because the ledger, the log of acts and the sales refer to it;
-- it says nothing about its owner any more. A deletion locks the row `for update`, unlike anybody
-- else: the lock conflicts with the one that each new row takes on the account it refers to, so
-- nothing is added for the account beside its deletion.

-- When the owner deleted the account; null: not deleted.
alter table accounts add column deleted_at timestamptz;
-- The address has no @, so nobody can type it; the hash is of no password.
alter table accounts add constraint accounts_deleted_is_nobody
    check (deleted_at is null
        or email = 'deleted-' || id::text and password_hash = '-' and role = 'CUSTOMER'
            and email_confirmed_at is null) not valid;
alter table accounts validate constraint accounts_deleted_is_nobody;

-- Refuses any change of a deleted account: a request that knew it before cannot give it back a name.
create function refuse_change_of_deleted() returns trigger language plpgsql as $$
begin
    raise exception 'account % was deleted', old.id
        using errcode = 'integrity_constraint_violation', constraint = 'accounts_deleted_is_final';
end
$$;

create trigger accounts_deleted_is_final
    before update on accounts
    for each row when (old.deleted_at is not null) execute function refuse_change_of_deleted();

-- When the account of the wallet was deleted; null: the wallet is open. Whatever comes into a closed
-- wallet is given up in the same statement.
alter table wallets add column closed_at timestamptz;
alter table wallets add constraint wallets_closed_is_empty
    check (closed_at is null or balance = 0) not valid;
alter table wallets validate constraint wallets_closed_is_empty;

alter table point_transactions drop constraint point_transactions_kind_known;
alter table point_transactions add constraint point_transactions_kind_known
    check (kind in ('CHARGE', 'PURCHASE', 'REVERSAL', 'REINSTATEMENT', 'PAYMENT', 'REFUND',
                    'ADJUSTMENT', 'WRITE_OFF', 'FORFEIT', 'TRANSFER_HOLD', 'TRANSFER_RELEASE',
                    'TRANSFER_OUT', 'TRANSFER_IN')) not valid;
alter table point_transactions validate constraint point_transactions_kind_known;

-- Debts that an administrator wrote off, whole or in part. Append-only.
create table debt_write_offs (
    -- Id of the act in the audit log, and the reference of the entry.
    id         uuid        primary key,
    wallet_id  uuid        not null references wallets,
    points     bigint      not null,
    created_at timestamptz not null default clock_timestamp(),

    constraint debt_write_offs_points_positive check (points > 0)
);

create trigger debt_write_offs_append_only
    before update or delete on debt_write_offs
    for each row execute function refuse_change();
create trigger debt_write_offs_kept
    before truncate on debt_write_offs
    for each statement execute function refuse_change();

-- The write-offs of one wallet.
create index debt_write_offs_wallet_id on debt_write_offs (wallet_id);

-- Points of a dispute that was won which nobody gets back: their debt was written off before, or the
-- account was deleted.
alter table charge_reversals add column forgone bigint not null default 0;
alter table charge_reversals add constraint charge_reversals_forgone_within_points
    check (forgone >= 0 and (forgone = 0 or points <= moved - forgone)) not valid;
alter table charge_reversals validate constraint charge_reversals_forgone_within_points;

-- Debts of wallets, for the administrators' list.
create index wallets_owing on wallets (id) where debt > 0;

-- When money arrived for an account that was deleted; null: it did not. No points were credited: the
-- money is to be returned at the provider.
alter table charges add column unclaimed_at timestamptz;
alter table charges add constraint charges_unclaimed_reverses_nothing
    check (unclaimed_at is null or settled_at is not null and reversed = 0) not valid;
alter table charges validate constraint charges_unclaimed_reverses_nothing;

-- Money to be returned, for the administrators' list.
create index charges_unclaimed on charges (id)
    where unclaimed_at is not null and status in ('SETTLED', 'REINSTATED');

create or replace function refuse_charge_backward() returns trigger language plpgsql as $$
begin
    if (new.id, new.account_id, new.request_key, new.points, new.amount_minor, new.currency,
            new.provider, new.created_at, new.expires_at)
        is distinct from (old.id, old.account_id, old.request_key, old.points, old.amount_minor,
            old.currency, old.provider, old.created_at, old.expires_at)
        or new.provider_ref is distinct from old.provider_ref and old.provider_ref is not null
        or new.payment_ref is distinct from old.payment_ref and old.payment_ref is not null
        or new.unclaimed_at is distinct from old.unclaimed_at and old.settled_at is not null
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
