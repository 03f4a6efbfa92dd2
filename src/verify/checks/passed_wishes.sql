-- Lists wishes that waited while a later one got what they would have fitted too. An account with
-- other places in the program is left out: its cap may have had no room. So is one that is locked.
select 'wish ' || passed.id as "subject!",
    format('number %s of performance %s, was passed by number %s at %s', passed.number,
        passed.schedule_id, served.number, served.settled_at) as "sentence!"
from wishes served
join wishes passed on passed.schedule_id = served.schedule_id and passed.number < served.number
    and (passed.settled_at is null or passed.settled_at > served.settled_at)
    and passed.places <= served.places
    and (passed.section is null
        or passed.section = served.section and passed.zone_id is not distinct from served.zone_id)
    and (passed.price_max is null or passed.price_max >= served.price_max)
    and (served.is_together or not passed.is_together)
join programs on programs.id = passed.program_id and passed.places >= places_per_order_min
join accounts on accounts.id = passed.account_id and deleted_at is null and locked_at is null
where served.status = 'OFFERED'
    and not exists (
        select from reservations other
        where other.account_id = passed.account_id and other.program_id = passed.program_id
            and other.created_at <= served.settled_at
            and (other.settled_at is null or other.settled_at > served.settled_at
                or other.status = 'CONFIRMED')
    )
limit $1
