-- Names for receipts, which people type where they pay, and what a settlement needs to add up money of a span of time.

-- Name or company that an account wants on the receipts of payments from a moment on. Receipts are written seconds after
-- the payment, so earlier names stay until everything before them is booked.
create table receipt_names (
    account_id uuid        not null,
    typed_at   timestamptz not null default clock_timestamp(),
    -- As typed; empty: none.
    buyer      text        not null,

    constraint receipt_names_pkey primary key (account_id, typed_at),
    constraint receipt_names_account_id_fkey foreign key (account_id) references accounts (id) on delete cascade,
    constraint receipt_names_buyer_length check (length(buyer) <= 200)
);

-- The ledger of a span of time, over all wallets. It grows in the order of time, so an index of its blocks is enough, and
-- costs a payment next to nothing. It is of an expression that only settlements state, so that these do not read the
-- indexes of wallets, and nothing that has a wallet reads blocks.
create index point_transactions_blocks on point_transactions using brin ((created_at at time zone 'UTC'))
    with (pages_per_range = 32, autosummarize = on);
create index charge_reversals_created_at on charge_reversals (created_at);
create index charges_unclaimed_at on charges (unclaimed_at) where unclaimed_at is not null;

-- Reconciliation asks the provider for all refunds of a payment instead.
drop function booked_back(uuid);
