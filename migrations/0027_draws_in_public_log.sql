-- The steps of an opening draw are entries of the program's second public log, so that announcement and
-- closed list are signed, and confirmed by witnesses where there are any.

alter table queue_moves drop constraint queue_moves_kind_known;
alter table queue_moves drop constraint queue_moves_rules_have_no_number;
-- DRAW_ANNOUNCED with its commitments; DRAW_WITHDRAWN from a draft; DRAW_CLOSED with the head of its
-- list; DRAW_REVEALED with all that was secret.
alter table queue_moves add constraint queue_moves_kind_known
    check (kind in ('ADMITTED', 'LET_IN', 'PARKED', 'RETURNED', 'LEFT', 'PURGE', 'RULES',
        'DRAW_ANNOUNCED', 'DRAW_WITHDRAWN', 'DRAW_CLOSED', 'DRAW_REVEALED'));
alter table queue_moves add constraint queue_moves_of_nobody_have_no_number
    check ((kind = 'RULES' or kind like 'DRAW\_%') = (queue_number is null));

-- What the log says of a step of a draw.
create function detail_of_draw(draw queue_draws, kind text) returns text language sql stable as $$
    select case kind
        when 'DRAW_ANNOUNCED' then json_build_object(
            'opens_at', to_char(draw.opens_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'),
            'commitment', encode(draw.commitment, 'hex'),
            'chain', encode(draw.chain_hash, 'hex'),
            'round', draw.beacon_round)
        when 'DRAW_CLOSED' then json_build_object(
            'entries', draw.entries, 'head', encode(draw.head, 'hex'))
        when 'DRAW_REVEALED' then json_build_object(
            'seed', encode(draw.seed, 'hex'),
            'beacon', encode(draw.beacon_signature, 'hex'),
            'omission_reason', draw.omission_reason)
    end::text
$$;

create function log_draw() returns trigger language plpgsql as $$
declare
    draw queue_draws := case tg_op when 'DELETE' then old else new end;
    step text := case
        when tg_op = 'INSERT' then 'DRAW_ANNOUNCED'
        when tg_op = 'DELETE' then 'DRAW_WITHDRAWN'
        when new.revealed_at is not null then 'DRAW_REVEALED'
        else 'DRAW_CLOSED' end;
begin
    insert into queue_moves (program_id, kind, detail)
    values (draw.program_id, step, detail_of_draw(draw, step));
    return null;
end
$$;
create trigger queue_draws_announced_logged
    after insert or delete on queue_draws
    for each row execute function log_draw();
create trigger queue_draws_steps_logged
    after update of closed_at, revealed_at on queue_draws
    for each row when ((old.closed_at is null) <> (new.closed_at is null)
        or (old.revealed_at is null) <> (new.revealed_at is null))
    execute function log_draw();

-- Steps of before: the log says them now, in their order.
insert into queue_moves (program_id, kind, detail)
select d.program_id, s.kind, detail_of_draw(d, s.kind)
from queue_draws d
cross join lateral (values ('DRAW_ANNOUNCED', d.announced_at), ('DRAW_CLOSED', d.closed_at),
    ('DRAW_REVEALED', d.revealed_at)) s (kind, happened_at)
where s.happened_at is not null
order by s.happened_at;
