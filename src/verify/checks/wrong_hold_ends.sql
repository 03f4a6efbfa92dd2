-- Lists reservations whose end is not the one fixed when they were made, plus one renewal and the time that was given
-- back: a hold ends at the time that its owner was shown.
select 'reservation ' || id as "subject!",
    format('was made at %s for %s seconds, %s, and ends at %s',
        created_at, hold_ttl_secs,
        case when renewed_at is null then 'not renewed' else 'renewed once' end,
        expires_at) as "sentence!"
from reservations
where expires_at <> created_at + make_interval(secs => hold_ttl_secs
    + case when renewed_at is null then 0
        else 120 end) -- RENEWAL_SECS in src/reservation/lifecycle/mod.rs
    + given_time
limit $1
