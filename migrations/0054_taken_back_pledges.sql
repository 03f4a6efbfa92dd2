-- Transfers that the office ended, and tickets of deleted accounts.

-- Whether the ticket office made the change: it ends a transfer whose sender's points are taken back.
alter table transfer_status_history add column by_office boolean not null default false;

-- A check-in that was undone, or a performance that was moved, could leave a deleted account with a ticket
-- that admits. The program voids those from now on.
update tickets set status = 'VOID'
from reservation_items items
join reservations on reservations.id = items.reservation_id
join schedules on schedules.id = reservations.schedule_id
where tickets.status = 'VALID' and items.id = tickets.reservation_item_id
    and schedules.starts_at > now()
    and exists (select from accounts where id = tickets.account_id and deleted_at is not null);
