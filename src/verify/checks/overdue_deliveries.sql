-- Lists deliveries that still wait a minute after they were to be given up, the oldest first.
-- Deliveries to deleted endpoints are left out: they are deleted one by one.
select format('delivery of event %s to endpoint %s', d.event_id, d.endpoint_id) as "subject!",
    format('still waits, though it was to be given up at %s', d.expires_at) as "sentence!"
from webhook_deliveries d
join webhook_endpoints e on e.id = d.endpoint_id and e.deleted_at is null
where d.delivered_at is null and d.failed_at is null and d.expires_at < now() - interval '1 minute'
order by d.expires_at
limit $1
