-- Points: one wallet per account, and an append-only record of every change.
--
-- A writer reads `version`, and its update matches only while that version is
-- unchanged. Each change adds one row with the version it made, so a wallet's
-- history is a chain without gaps. Every entry that moves points between a person and the
-- house has the house's own entry beside it, so all amounts add up to nothing. Points of a pending transfer stay in `balance`
-- and are withheld by `pending`: usable = balance - pending.
create table wallets (
    id         uuid   primary key,
    account_id uuid   not null references accounts,
    balance    bigint not null default 0,
    pending    bigint not null default 0,
    version    bigint not null default 0,
    -- The entry that made this version; a wallet that was only opened has none.
    last_entry bigint generated always as (nullif(version, 0)) stored,

    constraint wallets_account_id_key unique (account_id),
    -- Enforced here as well as in Rust: no bug may spend points nobody has.
    constraint wallets_pending_within_balance check (0 <= pending and pending <= balance)
);

create table point_transactions (
    id             uuid        primary key,
    wallet_id      uuid        not null references wallets,
    wallet_version bigint      not null,
    kind           text        not null,
    -- The signed change of the balance.
    amount         bigint      not null,
    pending_change bigint      not null default 0,
    balance_after  bigint      not null,
    -- The payment, transfer, reservation or act that moved the points.
    reference_id   uuid        not null,
    created_at     timestamptz not null default clock_timestamp(),

    -- What is referred to moves the points of one wallet once per kind: the last guard
    -- against a charge, a payment or a refund that is carried out twice. Also finds the
    -- entries of a payment or a transfer.
    constraint point_transactions_reference_key unique (reference_id, kind, wallet_id),
    constraint point_transactions_wallet_id_wallet_version_key unique (wallet_id, wallet_version),
    constraint point_transactions_kind_known
        check (kind in ('CHARGE', 'PAYMENT', 'REFUND', 'ADJUSTMENT', 'TRANSFER_HOLD',
                        'TRANSFER_RELEASE', 'TRANSFER_OUT', 'TRANSFER_IN')),
    constraint point_transactions_balance_after_not_negative check (balance_after >= 0)
);

-- No wallet without the entry that made its version: asked at the commit, because the wallet
-- is written first.
alter table wallets add constraint wallets_version_has_its_entry
    foreign key (id, last_entry) references point_transactions (wallet_id, wallet_version)
    deferrable initially deferred;

-- The house's side of an entry: what a person pays it gets, what is refunded it gives, what is
-- charged or put right it makes or takes back. What it keeps of a refund is the rest. There is
-- no balance row and no version, so nobody queues for it.
create table house_entries (
    wallet_id      uuid        not null,
    wallet_version bigint      not null,
    -- The entry's amount with the other sign.
    amount         bigint      not null,
    created_at     timestamptz not null default clock_timestamp(),

    constraint house_entries_pkey primary key (wallet_id, wallet_version),
    constraint house_entries_of_an_entry
        foreign key (wallet_id, wallet_version) references point_transactions (wallet_id, wallet_version)
);

-- The statement: one kind, newest first; and the versions that one month spans.
create index point_transactions_kind on point_transactions (wallet_id, kind, wallet_version);
create index point_transactions_created_at on point_transactions (wallet_id, created_at, wallet_version);

create table transfers (
    id          uuid        primary key,
    sender_id   uuid        not null references accounts,
    receiver_id uuid        not null references accounts,
    amount      bigint      not null,
    status      text        not null default 'PENDING',
    -- Fixed at creation and shown to both.
    expires_at  timestamptz not null,
    version     bigint      not null default 0,
    created_at  timestamptz not null default clock_timestamp(),

    constraint transfers_status_known
        check (status in ('PENDING', 'ACCEPTED', 'REJECTED', 'CANCELLED', 'EXPIRED')),
    constraint transfers_pending_is_unchanged check (status <> 'PENDING' or version = 0),
    constraint transfers_amount_positive check (amount > 0),
    constraint transfers_between_two_accounts check (sender_id <> receiver_id)
);

create index transfers_sender_id on transfers (sender_id, id desc);
create index transfers_receiver_id on transfers (receiver_id, id desc);
-- What a worker looks for, and what waits for one person's answer or withholds one
-- person's points.
-- Each carries a condition that is true of every row and that only its own statements state:
-- while few are pending all three are equally small, and a plan made then could read everybody's
-- requests to find one person's.
create index transfers_pending on transfers (expires_at, id) where status = 'PENDING' and version = 0;
create index transfers_pending_sender on transfers (sender_id, id)
    where status = 'PENDING' and sender_id is not null;
create index transfers_pending_receiver on transfers (receiver_id, id)
    where status = 'PENDING' and receiver_id is not null;

create table transfer_status_history (
    transfer_id uuid        not null references transfers,
    version     bigint      not null,
    status      text        not null,
    changed_at  timestamptz not null default clock_timestamp(),

    constraint transfer_status_history_pkey primary key (transfer_id, version)
);

-- The record is append-only: what was written is what happened.
create function refuse_change() returns trigger language plpgsql as $$
begin
    raise exception '% is append-only', tg_table_name using errcode = 'integrity_constraint_violation';
end
$$;

create trigger point_transactions_append_only
    before update on point_transactions
    for each row execute function refuse_change();
-- A rehearsal takes its own wallets away again, history and all.
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
-- Truncating fires no row trigger.
create trigger point_transactions_kept
    before truncate on point_transactions
    for each statement execute function refuse_change();
create trigger transfer_status_history_kept
    before truncate on transfer_status_history
    for each statement execute function refuse_change();
