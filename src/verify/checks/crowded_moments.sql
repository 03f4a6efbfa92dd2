-- Lists admissions beyond the capacity of their moment, recomputed from when every account was
-- admitted and left. Admissions by staff count, but may exceed it. Admissions by an access gate are
-- counted apart, against its own capacity.
with moves as (
    select program_id, case when through_gate then gate_id end as gate_id, id, admitted_at as moment, 1 as step, inside_after,
        case when let_in_by is null then capacity_then end as capacity
    from queue_tokens
    where admitted_at is not null
    union all
    select program_id, case when through_gate then gate_id end, id, ended_at, -1, null, null
    from queue_tokens
    where admitted_at is not null and status <> 'ACTIVE' and ended_at is not null
), counted as (
    select id, moment, step, capacity,
        sum(step) over (
            partition by program_id, gate_id
            order by moment, step, inside_after, id
            rows unbounded preceding
        ) as n_inside
    from moves
)
select 'queue token ' || id as "subject!",
    format('was admitted at %s, which made %s inside where %s may be', moment, n_inside,
        capacity) as "sentence!"
from counted
where step = 1 and n_inside > capacity
limit $1
