-- Lists sections of performances that are hidden in part: their public seats were put on sale, or back on
-- sale, by a statement that did not check whether the section is hidden.
select 'performance ' || hidden.schedule_id as "subject!",
    format('hides the section %s, and shows %s seats of it', hidden.section, count(*)) as "sentence!"
from (
    select distinct c.schedule_id, s.section
    from schedule_seats c join seats s on s.id = c.seat_id
    where c.hidden_at is not null and c.schedule_id is not null
) hidden
join schedules d on d.id = hidden.schedule_id
join seats s on s.venue_id = d.venue_id and s.section = hidden.section
join schedule_seats c on c.seat_id = s.id and c.schedule_id = hidden.schedule_id
where c.hidden_at is null
group by hidden.schedule_id, hidden.section
limit $1
