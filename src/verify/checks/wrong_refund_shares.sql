-- Lists refunds that are not the agreed share: only an administrator's refund, that of a cancelled program or
-- performance, and one in the time after a move that its owner was told of may give everything back; and in that
-- time a refund may not give less. A move of seats gives it to orders that had one of them then. The move is judged as it was kept at the moment of the refund. What was paid for a
-- place that others have bought since came back with its sale, and what the house took back alone is judged by itself; what it took
-- in exchange for other places is worth what wrong_exchanges.sql says.
-- Where an order has steps, the agreed share is the one of the step that held at the moment of the refund, less the
-- part of the order's fee that the payment or the place bears.
-- `RefundShare::of` in src/reservation/refund_steps/mod.rs
with sold as (
    select payment_id, sum(price) as points
    from ticket_returns where status = 'SOLD' group by payment_id
), given_back as (
    select 'payment ' || payments.id as subject, payments.reservation_id, entry.amount,
        entry.created_at as refunded_at, payments.amount - coalesce(sold.points, 0) as paid
    from payments
    left join sold on payment_id = payments.id
    join point_transactions entry on entry.reference_id = payments.id and kind = 'REFUND'
    where payments.status = 'REFUNDED'
    union all
    select 'return ' || id, reservation_id, payout, settled_at, price from ticket_returns
    where to_house and exchange_id is null
), refunds as (
    select given_back.*,
        -- The fee is divided by the prices of the places that other accounts had not bought of the order by then.
        (select sum(amount) from payments where payments.reservation_id = given_back.reservation_id)
            - (select coalesce(sum(price), 0) from ticket_returns t
               where t.reservation_id = given_back.reservation_id and status = 'SOLD' and not to_house
                   and t.settled_at < refunded_at) as paid_in_all,
        reservations.schedule_id, reservations.program_id,
        reservations.created_at as reserved_at, reservations.confirmed_at, reservations.refund_until,
        reservations.refund_percent, reservations.refund_steps
    from given_back
    join reservations on reservations.id = reservation_id
), judged as (
    select refunds.*,
        case when refund_steps is null then amount <> div(paid::numeric * refunds.refund_percent, 100)
            else not exists (
                -- The refund read the clock up to a transaction's length before its entry, and a move that
                -- committed beside it may be seen or not.
                select from (values (interval '-1 minute'), (interval '1 minute')) seen (shift)
                cross join lateral (
                    select refund_steps(refunds.schedule_id, reserved_at, confirmed_at, refund_until,
                        refunds.refund_percent, refund_steps, refunded_at + shift) as list offset 0
                ) steps
                cross join lateral jsonb_array_elements(list) with ordinality as s (step, place)
                where (step->>'until')::timestamptz > refunded_at - interval '1 minute'
                    and not exists (
                        select from jsonb_array_elements(list) with ordinality as before (step, place)
                        where before.place < s.place and (before.step->>'until')::timestamptz > refunded_at)
                    and amount = coalesce(greatest(0, div(
                        paid * ((step->>'percent')::numeric * paid_in_all - 100 * (step->>'fee')::numeric),
                        nullif(100 * paid_in_all, 0))), 0))
            end
            and not (amount = paid
                and (programs.cancelled_at is not null or schedules.cancelled_at is not null
                    or exists (select from audit_log
                               where subject_id = reservation_id::text and act = 'refunded')
                    -- The refund read the clock up to a transaction's length before its entry.
                    or exists (select from schedule_moves m
                               where m.schedule_id = refunds.schedule_id
                                   and m.moved_at > reserved_at - interval '1 minute'
                                   and (m.seat_ids is null or m.seat_ids && array(
                                       select schedule_seat_id from reservation_items i
                                       where i.reservation_id = refunds.reservation_id
                                           and schedule_seat_id is not null and not exists (
                                               select from ticket_returns t
                                               where t.reservation_item_id = i.id and t.status = 'SOLD'
                                                   and t.settled_at < refunded_at - interval '1 minute')))
                                   and (m.zone_id is null or m.zone_id = any(zones_of(reservation_id)))
                                   and refunded_at > m.moved_at
                                   and refunded_at < m.full_refund_until + interval '1 minute')))
            as is_too_much,
        -- The last move that the refund must have seen; one that committed beside it may be unseen.
        amount < paid and exists (
            select from schedule_moves m
            where m.schedule_id = refunds.schedule_id and m.moved_at > reserved_at
                and (m.seat_ids is null or m.seat_ids && array(
                    select schedule_seat_id from reservation_items i
                    where i.reservation_id = refunds.reservation_id and schedule_seat_id is not null
                        and not exists (
                            select from ticket_returns t
                            where t.reservation_item_id = i.id and t.status = 'SOLD'
                                and t.settled_at < refunded_at)))
                and (m.zone_id is null or m.zone_id = any(zones_of(reservation_id)))
                and m.moved_at < refunded_at - interval '1 minute' and refunded_at < m.full_refund_until
                and not exists (
                    select from schedule_moves later
                    where later.schedule_id = m.schedule_id and later.moved_at > m.moved_at
                        and later.moved_at < refunded_at + interval '1 minute'))
            as is_too_little
    from refunds
    join programs on programs.id = refunds.program_id
    join schedules on schedules.id = refunds.schedule_id
)
select subject as "subject!",
    case when is_too_little
        then format('gave %s of %s back, though a move of the performance gave a right to all of it', amount, paid)
        when refund_steps is null
        then format('gave %s of %s back, though %s percent were agreed', amount, paid, refund_percent)
        else format('gave %s of %s back, which is none of the steps that held then', amount, paid)
    end as "sentence!"
from judged
where is_too_much or is_too_little
limit $1
