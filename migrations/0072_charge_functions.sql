-- Charges in few conversations with the server, as payments are (0071): `lock_charges` locks the wallets and
-- reads what is kept under the request keys behind their locks, and `write_charges` writes what was decided.
-- Settled purchases are not written by it: money that was taken elsewhere is not hurried.
--
-- A version before this one calls neither.

-- Locks the wallets of accounts that no other transaction has locked, in the order of their ids, and then
-- reads the answers that are kept under the request keys.
create function lock_charges(
    _accounts uuid[], _key_owners uuid[], _keys uuid[],
    out wallets json, out outcomes json
) language plpgsql as $$
begin
    select coalesce(json_agg(w), '[]')
    from (
        select id as wallet_id, account_id, balance, pending, debt, closed_at is not null as is_closed,
            version
        from wallets
        where account_id = any(_accounts)
        order by id
        for no key update skip locked
    ) w
    into wallets;

    select coalesce(json_agg(k), '[]')
    from unnest(_key_owners, _keys) as asked (account_id, key)
    cross join lateral (
        select account_id, key, encode(fingerprint, 'hex') as fingerprint, outcome
        from idempotency_keys
        where account_id = asked.account_id and key = asked.key
        limit 1
    ) k
    into outcomes;
end $$;

-- Writes the entries of charges and locked wallets, as `move_points` does, and last the request keys. After a
-- number of entries that is too small nothing more is written, and the caller rolls back.
create function write_charges(
    _ids uuid[], _wallets uuid[], _versions bigint[], _amounts bigint[], _balances bigint[],
    _references uuid[], _kinds text[],
    _key_owners uuid[], _keys uuid[], _fingerprints bytea[], _outcomes jsonb[],
    out n_entries bigint
) language plpgsql as $$
begin
    select m.n_entries
    from move_points(_ids, _wallets, _versions, _amounts, _balances, _references, _kinds) m
    into n_entries;
    if n_entries <> cardinality(_ids) then
        return;
    end if;

    insert into idempotency_keys (account_id, key, fingerprint, outcome)
    select account_id, key, fingerprint, outcome
    from unnest(_key_owners, _keys, _fingerprints, _outcomes)
        as kept (account_id, key, fingerprint, outcome);
end $$;
