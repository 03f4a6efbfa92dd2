-- Lists reservations that did not get all of the time that was given while they were held, or got more. One that was
-- being made when time was given, or when an outage ended, may have gone without: it has its whole time before it. So may
-- one of a performance that had begun.
select 'reservation ' || reservations.id as "subject!",
    format('got %s more, and %s was given while it was held', given_time, given.length) as "sentence!"
from reservations
cross join lateral (
    select least(starts_at, (select min(was_at) from schedule_moves where schedule_id = reservations.schedule_id)) as at
    from schedules where id = reservations.schedule_id
) begun
cross join lateral (
    select coalesce(sum(length), '0') as length,
        coalesce(sum(length) filter (
            where created_at < lost.until - interval '10 seconds' and given_at < begun.at), '0') as length_min
    from given_times
    cross join lateral (select coalesce(lost_until, given_at) as until) lost
    where program_id = reservations.program_id and created_at < lost.until and live_at < expires_at
        -- A refund comes after the payment, which ended the hold.
        and given_at < coalesce(confirmed_at, settled_at, 'infinity')
) given
where given_time not between given.length_min and given.length
limit $1
