-- Lists deliveries that ended twice, whose subject or position is not their event's, or that still wait
-- although a later event of the same subject went to the same endpoint; a replay comes late on purpose.
select format('delivery of event %s to endpoint %s', d.event_id, d.endpoint_id) as "subject!",
    case
        when d.delivered_at is not null and d.failed_at is not null then 'is both made and given up'
        when (d.position, d.subject_id) is distinct from (e.position, e.subject_id)
            then 'is not of the subject and position of its event'
        else 'waits, and a later event of its subject was delivered'
    end as "sentence!"
from webhook_deliveries d
join domain_events e on e.id = d.event_id
where (d.delivered_at is not null and d.failed_at is not null)
    or (d.position, d.subject_id) is distinct from (e.position, e.subject_id)
    or (d.delivered_at is null and d.failed_at is null and d.replayed_at is null
        and exists (
            select from webhook_deliveries later
            where later.endpoint_id = d.endpoint_id and later.subject_id = d.subject_id
                and later.position > d.position and later.replayed_at is null
                and (later.delivered_at is not null or later.attempts > 0)))
limit $1
