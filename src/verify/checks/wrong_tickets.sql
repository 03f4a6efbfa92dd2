-- Lists items whose tickets are not one for each confirmed place that no other account has bought since,
-- and none otherwise. The holder of a ticket is the recipient of its last accepted hand-over, or else
-- its payer: the payer of its share, or the owner of the reservation. A used ticket may stay used after
-- a refund by an administrator and at a cancelled program or performance. Tickets of deleted accounts
-- may be void.
with last_changes as (
    select distinct on (changes.ticket_id) changes.ticket_id, recipient_id
    from ticket_holder_changes changes
    join ticket_hand_overs on ticket_hand_overs.id = hand_over_id
    order by changes.ticket_id, number desc
), issued as (
    select tickets.reservation_item_id, count(*) filter (where tickets.status = 'VALID') as n_valid,
        count(*) filter (where tickets.status = 'USED') as n_used,
        count(*) filter (where tickets.status = 'VOID') as n_gone,
        count(*) filter (where tickets.status <> 'VOID' and tickets.account_id
            = coalesce(last_changes.recipient_id, shares.payer_id, reservations.account_id))
            as n_right
    from tickets
    left join last_changes on ticket_id = tickets.id
    join reservation_items on reservation_items.id = tickets.reservation_item_id
    join reservations on reservations.id = reservation_items.reservation_id
    left join share_places places on places.reservation_item_id = tickets.reservation_item_id
        and places.number = tickets.number and places.live
    left join shares on shares.id = share_id and shares.status = 'PAID'
    where tickets.status in ('VALID', 'USED')
        or exists (select from accounts where id = tickets.account_id and deleted_at is not null)
    group by tickets.reservation_item_id
), counted as (
    select items.id, reservation_id, reservations.status, program_id, reservations.schedule_id, quantity - returned as quantity,
        coalesce(n_valid, 0) as n_valid, coalesce(n_used, 0) as n_used,
        coalesce(n_gone, 0) as n_gone, coalesce(n_right, 0) as n_right
    from reservation_items items
    join reservations on reservations.id = reservation_id
    left join issued on reservation_item_id = items.id
)
select 'item ' || id as "subject!",
    format('has %s valid and %s used tickets, %s of them with whom they belong to, for %s places of '
        'reservation %s, which is %s',
        n_valid, n_used, n_right, quantity, reservation_id, status) as "sentence!"
from counted
where n_right <> n_valid + n_used
    or case status
        when 'CONFIRMED' then n_valid + n_used > quantity or n_valid + n_used + n_gone < quantity
        when 'REFUNDED' then n_valid > 0 or n_used > 0
            and not exists (select from audit_log
                            where subject_id = reservation_id::text and act = 'refunded')
            and not exists (select from programs
                            where id = program_id and cancelled_at is not null)
            and not exists (select from schedules
                            where id = schedule_id and cancelled_at is not null)
        else n_valid + n_used > 0 end
limit $1
