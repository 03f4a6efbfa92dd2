-- Lists wishes that waited while a later one got what they would have fitted too. An account with
-- other places in the program is left out: its cap may have had no room. So is one that was locked or
-- deleted at that moment, as its row and the log of acts keep it (a minute is left for the clocks of both),
-- and a wish for fewer places than an order had to have at any time since: each edit keeps the number before.
-- But what is on return is had in any number, so a wish that was passed by an offer of such places alone counts.
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
join programs on programs.id = passed.program_id
join accounts on accounts.id = passed.account_id
    and coalesce(deleted_at > served.settled_at, true)
    and coalesce(locked_at > served.settled_at, true)
where served.status = 'OFFERED'
    and (passed.places >= greatest(programs.places_per_order_min, (
            select max((jsonb_path_query_first(before, '$.**.places_per_order_min') #>> '{}')::integer)
            from audit_log
            where subject_id = programs.id::text and act = 'program-edited' and acted_at >= passed.created_at
        ))
        or exists (
            select from reservations offer
            where offer.wish_id = served.id and (offer.buys_return or offer.returns_at_price) and not exists (
                select from reservation_items
                where reservation_id = offer.id and return_id is null and not was_on_return)
        ))
    and not exists (
        select from audit_log locked
        where locked.subject_id = passed.account_id::text and locked.act = 'account-locked'
            and locked.acted_at < served.settled_at + interval '1 minute'
            and not exists (
                select from audit_log unlocked
                where unlocked.subject_id = locked.subject_id and unlocked.act = 'account-unlocked'
                    and unlocked.acted_at > locked.acted_at
                    and unlocked.acted_at < served.settled_at - interval '1 minute'
            )
    )
    and not exists (
        select from reservations other
        where other.account_id = passed.account_id and other.program_id = passed.program_id
            and other.created_at <= served.settled_at
            and (other.settled_at is null or other.settled_at > served.settled_at
                or other.status = 'CONFIRMED')
    )
limit $1
