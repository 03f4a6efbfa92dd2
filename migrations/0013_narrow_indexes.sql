-- Indexes that PostgreSQL chose for looks they are not made for. Where each key has about one row,
-- all indexes that hold the asked columns look equally good, also one that has another column in
-- between: it then reads all rows of the first. The look for a wallet's entry of one version, which
-- a foreign key makes for each entry, read all entries of the wallet this way.
--
-- Each of these indexes gets a condition that is true for every row and that only its own
-- statements state, for the reason given at `schedule_seats_available`.

drop index point_transactions_kind;
create index point_transactions_kind on point_transactions (wallet_id, kind, wallet_version)
    where wallet_version > 0;
drop index point_transactions_created_at;
create index point_transactions_created_at on point_transactions (wallet_id, created_at, wallet_version)
    where created_at is not null;

drop index queue_waits_network;
create index queue_waits_network on queue_waits (program_id, network_tag, ready_at)
    where network_tag is not null;

drop index charges_created_at;
create index charges_created_at on charges (created_at, id) where amount_minor is not null;

drop index account_tokens_account_id;
create index account_tokens_account_id on account_tokens (account_id, created_at)
    where created_at is not null;
