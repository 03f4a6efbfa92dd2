-- Reminders of transfers that are about to expire, until they are written.
create table transfer_reminders (
    transfer_id uuid        primary key references transfers,
    due_at      timestamptz not null
);

-- Reminders to be written, for a worker.
create index transfer_reminders_due_at on transfer_reminders (due_at);
