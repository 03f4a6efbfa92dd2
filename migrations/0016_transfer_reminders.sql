-- Reminders of transfers that are about to expire.

-- When the receiver is reminded; null: never, or the reminder is written.
alter table transfers add column reminder_due_at timestamptz;

-- Reminders to be written, for a worker.
create index transfers_reminder_due on transfers (reminder_due_at, id)
    where status = 'PENDING' and reminder_due_at is not null;
