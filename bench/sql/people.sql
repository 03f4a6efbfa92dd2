-- Set-up: everybody who takes part: accounts with a session and a wallet each. What they are
-- called follows from their number, so that the load generator, which has no database,
-- knows every id and every cookie.
--
-- Variables: people
create schema bench;

-- Kinds: 0 account, 1 program, 2 schedule, 3 venue, 4 request key, 5 reservation, 6 payment,
-- 7 queue token, 8 zone.
create function bench.id(kind integer, nth bigint) returns uuid
    immutable parallel safe language sql
    return ('00000000-0000-7000-8' || lpad(to_hex(kind), 3, '0') || '-' || lpad(to_hex(nth), 12, '0'))::uuid;

-- What the database knows of the cookie of the nth person: its 32 bytes are the number.
create function bench.session(nth bigint) returns bytea
    immutable parallel safe language sql
    return sha256(decode(lpad(to_hex(nth), 64, '0'), 'hex'));

insert into accounts (id, email, name, password_hash)
select bench.id(0, nth), nth || '@bench.invalid', 'Bench', 'none' from generate_series(1, :people) nth;

insert into sessions (token_hash, account_id, expires_at)
select bench.session(nth), bench.id(0, nth), now() + interval '1 day' from generate_series(1, :people) nth;

with opened as (
    insert into wallets (id, account_id, balance, version)
    select gen_random_uuid(), bench.id(0, nth), 1000000000, 1 from generate_series(1, :people) nth
    returning id, balance
), house as (
    insert into house_entries (wallet_id, wallet_version, amount) select id, 1, -balance from opened
)
insert into point_transactions (id, wallet_id, wallet_version, kind, amount, balance_after, reference_id)
select gen_random_uuid(), id, 1, 'CHARGE', balance, balance, gen_random_uuid() from opened;

-- The one row of the yardstick for one wallet.
create table bench.counter (id integer primary key, value bigint not null);
insert into bench.counter values (1, 0);

vacuum analyze;
