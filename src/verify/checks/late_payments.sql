-- Lists reservations paid after their end, by the time that decided (`confirmed_at`) or by that of
-- the payment's row: an expired hold must not be paid. The sentence says by which.
select 'reservation ' || reservations.id as "subject!",
    format(
        case when confirmed_at < expires_at
            then 'was decided in time, and paid at %s, decided by %s, after its end at %s'
            else 'was paid at %s, decided by %s, after its end at %s' end,
        payments.created_at, confirmed_at, expires_at) as "sentence!"
from reservations join payments on reservation_id = reservations.id
where reservations.status in ('CONFIRMED', 'REFUNDED')
    and (payments.created_at > expires_at
            + interval '4s' -- idle_in_transaction_session_timeout in src/infra/postgres/settings.rs
            + interval '1s' -- for the statements between the decision and the row
        or coalesce(confirmed_at >= expires_at, true))
limit $1
