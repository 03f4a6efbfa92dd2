-- Points: wallets, an append-only ledger of every change, and transfers between accounts.
--
-- A writer reads a wallet's `version`, and its update matches only while that version is unchanged.
-- Each change adds one row with the version it made, so the history of a wallet is a chain without
-- gaps. An entry that moves points between an account and the ticket office (the house) has an
-- entry of the house beside it, so all amounts add up to zero.

-- One wallet per account, created by the account's first credit.
create table wallets (
    id         uuid   primary key,
    account_id uuid   not null references accounts,
    balance    bigint not null default 0,
    -- Points of pending transfers: part of `balance`, and not usable.
    pending    bigint not null default 0,
    version    bigint not null default 0,
    -- Version of the entry that made this state; null for a wallet without entries.
    last_entry bigint generated always as (nullif(version, 0)) stored,

    constraint wallets_account_id_key unique (account_id),
    -- The program checks this too. Here it holds whatever the program does.
    constraint wallets_pending_within_balance check (0 <= pending and pending <= balance)
);

-- Changes of wallets. Append-only.
create table point_transactions (
    id             uuid        primary key,
    wallet_id      uuid        not null references wallets,
    wallet_version bigint      not null,
    kind           text        not null,
    -- Change of the balance; negative for a debit.
    amount         bigint      not null,
    pending_change bigint      not null default 0,
    balance_after  bigint      not null,
    -- Id of the payment, transfer, reservation or act of staff that moved the points.
    reference_id   uuid        not null,
    created_at     timestamptz not null default clock_timestamp(),

    -- A reference moves the points of one wallet once per kind: refuses a charge, a payment or a
    -- refund that would be carried out twice. Also the index by which the entries of a payment or a
    -- transfer are found.
    constraint point_transactions_reference_key unique (reference_id, kind, wallet_id),
    constraint point_transactions_wallet_id_wallet_version_key unique (wallet_id, wallet_version),
    constraint point_transactions_kind_known
        check (kind in ('CHARGE', 'PAYMENT', 'REFUND', 'ADJUSTMENT', 'TRANSFER_HOLD',
                        'TRANSFER_RELEASE', 'TRANSFER_OUT', 'TRANSFER_IN')),
    constraint point_transactions_balance_after_not_negative check (balance_after >= 0)
);

-- Every version of a wallet has its entry. Checked at the commit, because the wallet is written
-- before the entry.
alter table wallets add constraint wallets_version_has_its_entry
    foreign key (id, last_entry) references point_transactions (wallet_id, wallet_version)
    deferrable initially deferred;

-- The house's side of an entry: a payment adds points to the house; a refund, a charge and a
-- positive adjustment take points from it. The part of a payment that a refund does not return
-- stays with the house. The house has no row with a balance or a version, so no transaction waits
-- for another here.
create table house_entries (
    wallet_id      uuid        not null,
    wallet_version bigint      not null,
    -- The entry's amount with the opposite sign.
    amount         bigint      not null,
    created_at     timestamptz not null default clock_timestamp(),

    constraint house_entries_pkey primary key (wallet_id, wallet_version),
    constraint house_entries_of_an_entry
        foreign key (wallet_id, wallet_version) references point_transactions (wallet_id, wallet_version)
);

-- The wallet's statement: entries of one kind, newest first, and the entries of one month.
create index point_transactions_kind on point_transactions (wallet_id, kind, wallet_version);
create index point_transactions_created_at on point_transactions (wallet_id, created_at, wallet_version);

-- Points that one account offers to another, until the offer is answered or expires.
create table transfers (
    id          uuid        primary key,
    sender_id   uuid        not null references accounts,
    receiver_id uuid        not null references accounts,
    amount      bigint      not null,
    status      text        not null default 'PENDING',
    -- Fixed when the transfer is made, and shown to both sides.
    expires_at  timestamptz not null,
    -- 0 while pending, 1 once settled.
    version     bigint      not null default 0,
    created_at  timestamptz not null default clock_timestamp(),

    constraint transfers_status_known
        check (status in ('PENDING', 'ACCEPTED', 'REJECTED', 'CANCELLED', 'EXPIRED')),
    constraint transfers_pending_is_unchanged check (status <> 'PENDING' or version = 0),
    constraint transfers_amount_positive check (amount > 0),
    constraint transfers_between_two_accounts check (sender_id <> receiver_id)
);

-- The transfers of one account, newest first.
create index transfers_sender_id on transfers (sender_id, id desc);
create index transfers_receiver_id on transfers (receiver_id, id desc);
-- Pending transfers: those that have expired, for a worker; those that one account sent; those that
-- wait for one account's answer. Each index has a condition that is true for every pending row and
-- that only its own statements state, for the reason given at `schedule_seats_available`.
create index transfers_pending on transfers (expires_at, id) where status = 'PENDING' and version = 0;
create index transfers_pending_sender on transfers (sender_id, id)
    where status = 'PENDING' and sender_id is not null;
create index transfers_pending_receiver on transfers (receiver_id, id)
    where status = 'PENDING' and receiver_id is not null;

-- Every status that a transfer has had. Append-only.
create table transfer_status_history (
    transfer_id uuid        not null references transfers,
    version     bigint      not null,
    status      text        not null,
    changed_at  timestamptz not null default clock_timestamp(),

    constraint transfer_status_history_pkey primary key (transfer_id, version)
);

-- Refuses a change of an append-only table.
create function refuse_change() returns trigger language plpgsql as $$
begin
    raise exception '% is append-only', tg_table_name using errcode = 'integrity_constraint_violation';
end
$$;

create trigger point_transactions_append_only
    before update on point_transactions
    for each row execute function refuse_change();
-- A rehearsal deletes the wallets it made, with their history.
create trigger point_transactions_not_deleted
    before delete on point_transactions
    for each row when (not is_throwaway(old.wallet_id)) execute function refuse_change();
create trigger house_entries_append_only
    before update on house_entries
    for each row execute function refuse_change();
create trigger house_entries_not_deleted
    before delete on house_entries
    for each row when (not is_throwaway(old.wallet_id)) execute function refuse_change();
create trigger house_entries_kept
    before truncate on house_entries
    for each statement execute function refuse_change();
create trigger transfer_status_history_append_only
    before update or delete on transfer_status_history
    for each row execute function refuse_change();
-- `truncate` fires no row triggers.
create trigger point_transactions_kept
    before truncate on point_transactions
    for each statement execute function refuse_change();
create trigger transfer_status_history_kept
    before truncate on transfer_status_history
    for each statement execute function refuse_change();
