\set nth (:n * :clients + :client_id) % :people + 1
\set n :n + 1
select id as account from accounts where lower(email) = lower(:nth::text || '@' || :host::text) \gset
begin;
select id as wallet, balance, pending, version from wallets where account_id = :account::uuid \gset
with moved as (
    update wallets set balance = :balance::bigint + 1, pending = :pending::bigint, version = version + 1
    where id = :wallet::uuid and version = :version::bigint
    returning id, version, balance
)
insert into point_transactions
    (id, wallet_id, wallet_version, kind, amount, pending_change, balance_after, reference_id)
select gen_random_uuid(), id, version, 'CHARGE', 1, 0, balance, gen_random_uuid() from moved;
commit;
