-- Joins in few conversations with the server, as payments are (0071): `lock_joins` locks the numbers of a program
-- and the joining accounts and returns what the decision reads, and `write_joins` gives the numbers.
--
-- A version before this one calls none of them.

-- Reads the rules of a program's queue, and the clock. It is `stable`, though it reads the clock, so that the
-- server plans it with the statement that calls it; its clock is the one of that statement.
create function queue_rules(_program uuid) returns table (
    status text, dates_left text, on_sale_at timestamptz, off_sale_at timestamptz, capacity integer,
    rate_per_second integer, is_paused boolean, stay_secs integer, join_account_age_mins integer,
    join_confirmed_address boolean, join_proof_bits integer, joins_per_address integer,
    unpaid_holds_max integer, cool_down_mins integer, draw text, has_access_gates boolean, now timestamptz
) language sql stable as $$
    select status, dates_left(id), on_sale_at, off_sale_at, queue_capacity, queue_rate_per_second,
        queue_paused_at is not null, stay_secs, join_account_age_mins, join_confirmed_address,
        join_proof_bits, joins_per_address, unpaid_holds_max, cool_down_mins,
        (select step from queue_draws where program_id = programs.id),
        exists (select from access_gates where program_id = programs.id),
        clock_timestamp()
    from programs
    where id = _program
$$;

-- Returns which of `_accounts` are not deleted, each with its standing: whether it has a live token or, where
-- `_has_entries` says that its draw is not over, an entry (`is_in`), or a token whose stay has run out
-- (`has_ended`). None of them is deleted before the transaction ends: this waits for a deletion, and a deletion for
-- this, by the lock that a token takes on its account anyway. Called after the program's row of numbers is locked,
-- in whose own statement tokens of a concurrent batch may not be visible yet.
create function lock_joining(_program uuid, _accounts uuid[], _has_entries boolean, out joining json)
language plpgsql as $$
begin
    select coalesce(json_agg(j), '[]')
    from (
        select a.id as account_id, coalesce(t.is_live, e.is_live, false) as is_in,
            t.is_live is false as has_ended
        from unnest(_accounts) as o (account_id)
        cross join lateral (
            select id from accounts
            where id = o.account_id and deleted_at is null
            limit 1
            for key share
        ) a
        left join lateral (
            select status = 'WAITING' or expires_at > clock_timestamp() as is_live from queue_tokens
            where program_id = _program and account_id = o.account_id
                and status in ('WAITING', 'ACTIVE')
            limit 1
        ) t on true
        left join lateral (
            select true as is_live from queue_draw_entries
            where _has_entries and account_id = o.account_id and program_id = _program
            limit 1
        ) e on true
    ) j
    into joining;
end $$;

-- Locks the program's row of numbers, then reads its rules and the clock, then locks the accounts as
-- `lock_joining` does. `number` is the next one, or null where the program has no row of numbers yet. `joining` is
-- null then, and where the entries of a draw are to be closed, because the draw is locked before the accounts.
-- `written` are the tokens and entries among `_tokens` that exist.
create function lock_joins(
    _program uuid, _accounts uuid[], _tokens uuid[],
    out number bigint, out written uuid[], out rules json, out joining json
) language plpgsql as $$
declare
    _number bigint;
    _has_entries boolean;
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

    select to_json(r) from queue_rules(_program) r
    into rules;

    select case
        when d.step is null then false
        when d.step = 'OPEN' and p.status = 'PUBLISHED' and p.on_sale_at <= clock_timestamp() then null
        else d.step <> 'DRAWN'
    end
    from programs p
    left join queue_draws d on d.program_id = p.id
    where p.id = _program
    into _has_entries;
    if _has_entries is null then
        return;
    end if;

    select j.joining from lock_joining(_program, _accounts, _has_entries) j
    into joining;
end $$;

-- Inserts tokens with numbers from `_first` on, in their order, and writes the number after them. With
-- `_stay_ends_at` they are admitted at once: that is a way in like any other, so it locks the gate.
create function write_joins(
    _program uuid, _tokens uuid[], _accounts uuid[], _first bigint, _stay_ends_at timestamptz,
    _networks bigint[], _commitments bytea[], _gates uuid[]
) returns void language plpgsql as $$
begin
    if _stay_ends_at is not null then
        insert into queue_gates (program_id, bucket) values (_program, 'infinity') on conflict do nothing;
        perform from queue_gates where program_id = _program for no key update;
    end if;

    insert into queue_tokens
        (id, program_id, account_id, queue_number,
         status, admitted_at, stay_ends_at, expires_at, network_tag, commitment, gate_id)
    select id, _program, account_id, _first + nth - 1,
        case when _stay_ends_at is null then 'WAITING' else 'ACTIVE' end,
        case when _stay_ends_at is null then null else clock_timestamp() end, _stay_ends_at, _stay_ends_at,
        network, commitment, gate
    from unnest(_tokens, _accounts, _networks, _commitments, _gates)
        with ordinality as new (id, account_id, network, commitment, gate, nth);

    update queue_numbers set next_number = _first + cardinality(_tokens) where program_id = _program;
end $$;
