-- Lists hand-overs that do not fit their ticket: one that is pending is of a valid ticket that its sender
-- has; one that was accepted has its change in the history of its ticket, and no other has one.
select 'hand-over ' || hand_over.id as "subject!",
    format('is %s, %s', hand_over.status, wrong.what) as "sentence!"
from ticket_hand_overs hand_over
join tickets on tickets.id = ticket_id
cross join lateral (
    select format('of a ticket that is %s', tickets.status) as what
    where hand_over.status = 'PENDING' and tickets.status <> 'VALID'
    union all
    select format('but its ticket is with account %s', tickets.account_id)
    where hand_over.status = 'PENDING' and tickets.account_id <> sender_id
    union all
    select 'and not in the history of its ticket'
    where hand_over.status = 'ACCEPTED' and not exists (
        select from ticket_holder_changes
        where hand_over_id = hand_over.id and ticket_id = hand_over.ticket_id)
    union all
    select 'but in the history of a ticket'
    where hand_over.status <> 'ACCEPTED' and exists (
        select from ticket_holder_changes where hand_over_id = hand_over.id)
) wrong
limit $1
