-- Lists payment and refund entries of a payment that does not exist: points moved for nothing.
select 'point transaction ' || entry.id as "subject!",
    format('is a %s of %s for a payment %s that does not exist',
        kind, entry.amount, coalesce(reference_id::text, '(none)')) as "sentence!"
from point_transactions entry
where kind in ('PAYMENT', 'REFUND')
    and not exists (
        select from payments join reservations on reservations.id = reservation_id
        where payments.id = entry.reference_id
    )
limit $1
