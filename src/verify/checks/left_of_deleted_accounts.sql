-- Lists remaining rows of accounts that their owners deleted: ways to log in, names for receipts, places in a line,
-- holds and offers, tickets of performances that are still to come, purchases that may still be paid, and
-- points.
select 'account ' || gone.id as "subject!",
    format('was deleted at %s, and %s', gone.deleted_at, left_over.what) as "sentence!"
from accounts gone
cross join lateral (
    select format('has %s sessions', count(*)) as what from sessions
    where account_id = gone.id having count(*) > 0
    union all
    select format('has %s links and log-ins that wait', count(*)) from (
        select 1 from account_tokens where account_id = gone.id and created_at > '-infinity'
        union all
        select 1 from pending_log_ins where account_id = gone.id
    ) waiting having count(*) > 0
    union all
    select 'has a name for receipts' from receipt_names where account_id = gone.id
    union all
    select 'has a second factor' from second_factors where account_id = gone.id
    union all
    select format('has place %s in the line of program %s', queue_number, program_id)
    from queue_tokens where account_id = gone.id and status in ('WAITING', 'ACTIVE')
    union all
    select format('is in the opening draw of program %s', e.program_id)
    from queue_draw_entries e join queue_draws d on d.program_id = e.program_id
    where e.account_id = gone.id and d.closed_at is null
    union all
    select format('holds reservation %s', id) from reservations
    where account_id = gone.id and status = 'HELD'
    union all
    select format('sends transfer %s, which waits', id) from transfers
    where sender_id = gone.id and status = 'PENDING'
    union all
    select format('is offered transfer %s, which waits', id) from transfers
    where receiver_id = gone.id and status = 'PENDING'
    union all
    select format('offers a ticket by hand-over %s, which waits', id) from ticket_hand_overs
    where sender_id = gone.id and status = 'PENDING'
    union all
    select format('is offered a ticket by hand-over %s, which waits', id) from ticket_hand_overs
    where recipient_id = gone.id and status = 'PENDING'
    union all
    select format('sells a ticket by return %s, which is open', id) from ticket_returns
    where seller_id = gone.id and status = 'OPEN'
    union all
    select format('gives tickets in exchange %s, which is open', id) from exchanges
    where account_id = gone.id and status = 'OPEN'
    union all
    select format('has paid share %s, which waits', id) from shares
    where payer_id = gone.id and status = 'WITHHELD'
    union all
    select format('has ticket %s, which admits to performance %s', tickets.id, schedules.id)
    from tickets
    join reservation_items items on items.id = tickets.reservation_item_id
    join reservations on reservations.id = items.reservation_id
    join schedules on schedules.id = reservations.schedule_id
    where tickets.account_id = gone.id and tickets.status = 'VALID' and schedules.starts_at > now()
    union all
    select format('may still pay charge %s', id) from charges
    where account_id = gone.id and status = 'OPEN'
    union all
    select format('has a wallet of %s, %s', balance,
        case when closed_at is null then 'open' else 'closed' end)
    from wallets where account_id = gone.id and (balance <> 0 or closed_at is null)
    union all
    select 'has no wallet that was closed'
    where not exists (select from wallets where account_id = gone.id)
    union all
    select format('is still called %s', gone.email) where gone.email <> 'deleted-' || gone.id
) left_over
where gone.deleted_at is not null
limit $1
