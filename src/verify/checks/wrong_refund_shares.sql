-- Lists refunds that are not the agreed share: only an administrator's refund and that of a
-- cancelled program or performance may give everything back. What was paid for a place that others have bought since
-- came back with its sale.
with sold as (
    select payment_id, sum(price) as points from ticket_returns where status = 'SOLD' group by payment_id
)
select 'payment ' || payments.id as "subject!",
    format('gave %s of %s back, though %s percent were agreed',
        entry.amount, payments.amount - coalesce(sold.points, 0), reservations.refund_percent)
        as "sentence!"
from payments
left join sold on payment_id = payments.id
join reservations on reservations.id = reservation_id
join programs on programs.id = reservations.program_id
join schedules on schedules.id = reservations.schedule_id
join point_transactions entry on entry.reference_id = payments.id and kind = 'REFUND'
where payments.status = 'REFUNDED'
    and entry.amount
        <> div((payments.amount - coalesce(sold.points, 0))::numeric * reservations.refund_percent, 100)
    and not (entry.amount = payments.amount - coalesce(sold.points, 0)
        and (programs.cancelled_at is not null or schedules.cancelled_at is not null
            or exists (select from audit_log
                       where subject_id = reservation_id::text and act = 'refunded')))
limit $1
