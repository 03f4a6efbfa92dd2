-- Lists what was given while the database stood still because it went back, and queue numbers that were given again after
-- it did. A transaction that was under way when the setback was written down may end some seconds later.
with still as (
    select id, noticed_at + interval '10 seconds' as since, coalesce(ended_at, 'infinity') as until from setbacks
)
select subject as "subject!", sentence as "sentence!"
from (
    select 'queue token ' || t.id as subject,
        format('has the number %s, which was given before its database went back in setback %s',
            t.queue_number, g.setback_id) as sentence
    from queue_number_gaps g
    join queue_tokens t on t.program_id = g.program_id and t.queue_number between g.first and g.last
    union all
    select 'queue token ' || t.id, format('was issued at %s, in setback %s', t.issued_at, still.id)
    from still join queue_tokens t on t.issued_at > still.since and t.issued_at < still.until
    union all
    select 'reservation ' || r.id, format('was made at %s, in setback %s', r.created_at, still.id)
    from still join reservations r on r.created_at > still.since and r.created_at < still.until
    union all
    select 'payment ' || p.id, format('was made at %s, in setback %s', p.created_at, still.id)
    from still join payments p on p.created_at > still.since and p.created_at < still.until
    union all
    select 'charge ' || c.id, format('was made at %s, in setback %s', c.created_at, still.id)
    from still join charges c on c.created_at > still.since and c.created_at < still.until
    union all
    select 'payout ' || p.id, format('was made at %s, in setback %s', p.created_at, still.id)
    from still join payouts p on p.created_at > still.since and p.created_at < still.until
) given
limit $1
