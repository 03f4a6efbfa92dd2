-- Lists waiting lists whose numbers have gaps, or whose count is not that of the wishes that wait.
select 'waiting list of performance ' || schedule_id as "subject!",
    format('counts %s waiting of %s, but has %s of %s, the last with number %s',
        waiting, next_number - 1, n_waiting, n, coalesce(last, 0)) as "sentence!"
from (
    select l.schedule_id, l.waiting, l.next_number, count(w.id) as n, max(w.number) as last,
        count(w.id) filter (where w.status = 'WAITING') as n_waiting
    from waiting_lists l
    left join wishes w on w.schedule_id = l.schedule_id
    group by l.schedule_id, l.waiting, l.next_number
) lists
where waiting <> n_waiting or next_number - 1 <> n or n <> coalesce(last, 0)
limit $1
