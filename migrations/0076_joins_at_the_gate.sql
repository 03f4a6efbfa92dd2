-- Joins that find room inside and nobody waiting are admitted in their own transaction. Until now such a join was
-- written as waiting, and its request then passed the gate in a second transaction: twelve conversations with the
-- server more, which cost 24 ms where it is 1 ms away each way. Nobody is passed: an account that waits and is not
-- parked sends every join behind it, as before.
--
-- A version before this one calls `lock_joins` and `write_joins` of 0074, which stay as they are.

-- Does what `lock_joins` does and, where the program admits by capacity or rate and no account waits, also locks its
-- gate behind the numbers, unless another transaction has it. `level` and `refilled_at` are then the bucket of the
-- gate, `n_inside` the admitted tokens that no access gate admitted, and `has_lapsed` says whether stays of them have
-- run out that still count. All four are null where the gate is not locked.
create function lock_joins_at_gate(
    _program uuid, _accounts uuid[], _tokens uuid[],
    out number bigint, out written uuid[], out rules json, out joining json,
    out level double precision, out refilled_at timestamptz, out n_inside bigint, out has_lapsed boolean
) language plpgsql as $$
declare
    _number bigint;
    _has_entries boolean;
    _may_admit boolean;
begin
    select next_number from queue_numbers where program_id = _program for update
    into _number;
    if _number is null then
        return;
    end if;
    number := _number;

    select coalesce(array_agg(found.id), '{}')
    from (
        select id from queue_tokens where id = any(_tokens)
        union all
        select id from queue_draw_entries where id = any(_tokens)
    ) found
    into written;

    select case
        when d.step is null then false
        when d.step = 'OPEN' and p.status = 'PUBLISHED' and p.on_sale_at <= clock_timestamp() then null
        else d.step <> 'DRAWN'
    end,
    p.status = 'PUBLISHED' and p.queue_paused_at is null
        and (p.queue_capacity is not null or p.queue_rate_per_second is not null)
        and not exists (
            select from queue_tokens t
            where t.program_id = _program and t.status = 'WAITING' and t.parked_at is null
        )
    from programs p
    left join queue_draws d on d.program_id = p.id
    where p.id = _program
    into _has_entries, _may_admit;

    if _may_admit and not _has_entries then
        insert into queue_gates (program_id, bucket) values (_program, 'infinity') on conflict do nothing;
        select g.bucket, g.refilled_at from queue_gates g
        where g.program_id = _program
        for no key update skip locked
        into level, refilled_at;
    end if;
    if level is not null then
        select count(*), coalesce(bool_or(expires_at <= clock_timestamp()), false) from queue_tokens
        where program_id = _program and status = 'ACTIVE' and not through_gate
        into n_inside, has_lapsed;
    end if;

    -- The clock of the rules is read after the locks that they decide behind.
    select to_json(r) from queue_rules(_program) r
    into rules;
    if _has_entries is null then
        return;
    end if;

    select j.joining from lock_joining(_program, _accounts, _has_entries) j
    into joining;
end $$;

-- Does what `write_joins` does and admits the first `_n_admitted` of the tokens, behind the lock of the gate that
-- `lock_joins_at_gate` took. They wait for no moment that anybody sees, but the public log has them first as numbers
-- and then as admitted, like every other admission.
create function write_joins_at_gate(
    _program uuid, _tokens uuid[], _accounts uuid[], _first bigint, _networks bigint[], _commitments bytea[],
    _gates uuid[], _n_admitted integer, _stay_ends_at timestamptz, _n_inside integer, _capacity integer,
    _level double precision, _refilled_at timestamptz
) returns void language plpgsql as $$
begin
    perform from write_joins(_program, _tokens, _accounts, _first, null, _networks, _commitments, _gates);

    update queue_tokens t
    set status = 'ACTIVE', admitted_at = clock_timestamp(), stay_ends_at = _stay_ends_at, expires_at = _stay_ends_at,
        inside_after = _n_inside + o.nth::integer, capacity_then = _capacity
    from unnest(_tokens) with ordinality as o (id, nth)
    cross join lateral (select id from queue_tokens where id = o.id limit 1) own
    where t.id = own.id and o.nth <= _n_admitted;

    if _level is not null then
        update queue_gates set bucket = _level, refilled_at = _refilled_at where program_id = _program;
    end if;
end $$;
