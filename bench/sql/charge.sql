-- Baseline: POST /wallet/charges as 0.1.0 wrote it, one charge under a request key.
-- Variables: people
\set nth random(1, :people)
\set key random(1, 100000000000000)
select o.nth, found.id as session_id, account_id, role, is_confirmed, is_unseen,
    (select count(*) from transfers
     where receiver_id = account_id and status = 'PENDING' and transfers.expires_at > now())
from unnest(array[bench.session(:nth)]) with ordinality as o (token_hash, nth)
cross join lateral (
    select sessions.id, account_id, role,
        confirmed_at > now() - make_interval(secs => 600) as is_confirmed,
        last_seen_at < now() - least(idle.longest / 10, interval '1 hour') as is_unseen
    from sessions
    join accounts on accounts.id = sessions.account_id
    cross join lateral (
        select make_interval(secs => case role when 'CUSTOMER' then 1209600 else 43200 end) as longest
    ) idle
    where token_hash = o.token_hash and sessions.expires_at > now() and locked_at is null
      and last_seen_at > now() - idle.longest
      and (role = 'CUSTOMER' or sessions.created_at > now() - make_interval(secs => 43200))
    limit 1
) found;
select fingerprint, outcome from idempotency_keys
where account_id = bench.id(0, :nth) and key = bench.id(4, :key);
begin;
insert into idempotency_keys (account_id, key, fingerprint)
values (bench.id(0, :nth), bench.id(4, :key), bench.session(:nth))
on conflict do nothing;
select id as wallet_id, account_id, balance, pending, version
from wallets where account_id = bench.id(0, :nth) \gset
with moved as (
    update wallets
    set balance = :balance + 1000, pending = :pending, version = version + 1
    where id = :wallet_id and version = :version
    returning id, version, balance
), house as (
    insert into house_entries (wallet_id, wallet_version, amount)
    select id, version, -(1000) from moved where true
)
insert into point_transactions
    (id, wallet_id, wallet_version, kind, amount, pending_change, balance_after, reference_id)
select gen_random_uuid(), id, version, 'CHARGE', 1000, 0, balance, bench.id(4, :key)
from moved;
update idempotency_keys set outcome = '{"balance": 1000}'
where account_id = bench.id(0, :nth) and key = bench.id(4, :key);
commit;
