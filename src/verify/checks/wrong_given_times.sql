-- Lists reservations that did not get all of the time that was given while they were held, or got more. One that was
-- being made when time was given may have gone without: it has its whole time before it.
select 'reservation ' || reservations.id as "subject!",
    format('got %s more, and %s was given while it was held', given_time, given.length) as "sentence!"
from reservations
cross join lateral (
    select coalesce(sum(length), '0') as length,
        coalesce(sum(length) filter (where created_at < given_at - interval '10 seconds'), '0') as length_min
    from given_times
    where program_id = reservations.program_id and created_at < given_at and live_at < expires_at
        and (settled_at is null or given_at < settled_at)
) given
where given_time not between given.length_min and given.length
limit $1
