-- Lists programs whose queue numbers are not 1..N: a number was skipped or given twice.
with given as (
    select program_id, count(*) as n, count(distinct queue_number) as n_distinct,
        min(queue_number) as first, max(queue_number) as last
    from queue_tokens group by program_id
)
select 'program ' || programs.id as "subject!",
    format('has given %s numbers, %s of them distinct, from %s to %s; the next is %s',
        coalesce(n, 0), coalesce(n_distinct, 0), coalesce(first::text, 'none'),
        coalesce(last::text, 'none'), coalesce(next_number::text, 'missing'))
        as "sentence!"
from programs
left join queue_numbers on queue_numbers.program_id = programs.id
left join given on given.program_id = programs.id
where coalesce(n, 0) <> coalesce(next_number, 1) - 1
    or n <> n_distinct or first <> 1 or last <> n
limit $1
