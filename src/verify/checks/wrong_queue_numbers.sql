-- Lists programs whose queue numbers are not 1..N: a number was skipped or given twice. While an
-- opening draw is being numbered, numbers that it has not reached yet are missing. Numbers that were given before the
-- database went back are passed over.
with given as (
    select t.program_id, count(*) as n, count(distinct queue_number) as n_distinct,
        min(queue_number) as first, max(queue_number) as last,
        count(*) filter (where queue_number > numbered and queue_number <= entries) as n_early
    from queue_tokens t
    left join queue_draws d on d.program_id = t.program_id
    group by t.program_id
)
select 'program ' || programs.id as "subject!",
    format('has given %s numbers, %s of them distinct, from %s to %s; the next is %s%s',
        coalesce(n, 0), coalesce(n_distinct, 0), coalesce(first::text, 'none'),
        coalesce(last::text, 'none'), coalesce(next_number::text, 'missing'),
        case when entries > numbered then format('; %s are being drawn, %s given', entries, numbered)
             else '' end)
        as "sentence!"
from programs
left join queue_numbers on queue_numbers.program_id = programs.id
left join given on given.program_id = programs.id
left join queue_draws on queue_draws.program_id = programs.id
left join lateral (
    select sum(g.last - g.first + 1) as n_lost from queue_number_gaps g where g.program_id = programs.id
) gaps on true
where coalesce(n, 0) + coalesce(n_lost, 0) <> coalesce(next_number, 1) - 1 - coalesce(entries - numbered, 0)
    or n <> n_distinct or n_early > 0 or first < 1 or last > next_number - 1
limit $1
