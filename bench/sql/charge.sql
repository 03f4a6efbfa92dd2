-- One charge under a request key: the statements of POST /wallet/charges.
-- Variables: people
\set nth random(1, :people)
\set key random(1, 100000000000000)
select account_id, name, role,
       (select count(*) from transfers
        where receiver_id = account_id and status = 'PENDING' and transfers.expires_at > now())
from sessions
join accounts on accounts.id = sessions.account_id
where token_hash = bench.session(:nth) and sessions.expires_at > now() and locked_at is null;
select fingerprint, outcome from idempotency_keys
where account_id = bench.id(0, :nth) and key = bench.id(4, :key);
begin;
insert into idempotency_keys (account_id, key, fingerprint)
values (bench.id(0, :nth), bench.id(4, :key), bench.session(:nth))
on conflict do nothing;
select id as wallet_id, balance, version from wallets where account_id = bench.id(0, :nth) \gset
with moved as (
    update wallets
    set balance = :balance + 1000, pending = 0, version = version + 1
    where id = :wallet_id and version = :version
    returning id, version, balance
), house as (
    insert into house_entries (wallet_id, wallet_version, amount)
    select id, version, -1000 from moved
)
insert into point_transactions
    (id, wallet_id, wallet_version, kind, amount, pending_change, balance_after, reference_id)
select gen_random_uuid(), id, version, 'CHARGE', 1000, 0, balance, bench.id(4, :key)
from moved;
update idempotency_keys set outcome = '{"balance": 1000}'
where account_id = bench.id(0, :nth) and key = bench.id(4, :key);
commit;
