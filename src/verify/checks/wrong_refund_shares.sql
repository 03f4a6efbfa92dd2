-- Lists refunds that are not the agreed share: only an administrator's refund and that of a
-- cancelled program may give everything back.
select 'payment ' || payments.id as "subject!",
    format('gave %s of %s back, though %s percent were agreed',
        entry.amount, payments.amount, reservations.refund_percent) as "sentence!"
from payments
join reservations on reservations.id = reservation_id
join programs on programs.id = program_id
join point_transactions entry on entry.reference_id = payments.id and kind = 'REFUND'
where payments.status = 'REFUNDED'
    and entry.amount <> div(payments.amount::numeric * reservations.refund_percent, 100)
    and not (entry.amount = payments.amount
        and (cancelled_at is not null
            or exists (select from audit_log
                       where subject_id = reservation_id::text and act = 'refunded')))
limit $1
