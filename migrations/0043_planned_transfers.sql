-- Transfers at a chosen time, and the list of an account's transfers.
--
-- A planned transfer is a pending one whose start lies ahead. The clock starts it, as the clock ends
-- it: no row changes at the start, so nothing can race for it and no worker can be late.

-- Time from which the receiver may accept; null: since it was made. Fixed when the transfer is made,
-- and so is its end, which is counted from it.
alter table transfers add column starts_at timestamptz;
-- PLAN_DAYS_MAX in src/wallet/transfers/model.rs.
alter table transfers add constraint transfers_starts_ahead
    check (starts_at > created_at and starts_at <= created_at + interval '90 days'
        and starts_at < expires_at);

-- Status of a transfer at this moment, whether or not its row says so.
create function shown_transfer_status(status text, starts_at timestamptz, expires_at timestamptz)
returns text language sql volatile as $$
    select case
        when status <> 'PENDING' then status
        when expires_at <= clock_timestamp() then 'EXPIRED'
        when starts_at > clock_timestamp() then 'PLANNED'
        else 'PENDING' end
$$;

-- The transfers of one account, and those between two, of one status, newest first. They find the
-- pending ones, too, so that those need no indexes of their own. The condition of the last is stated
-- by its own statement only, for the reason given at `schedule_seats_available`.
create index transfers_sender_status on transfers (sender_id, status, id);
create index transfers_receiver_status on transfers (receiver_id, status, id);
create index transfers_between on transfers (sender_id, receiver_id, status, id)
    where sender_id <> receiver_id;
drop index transfers_pending_sender;
drop index transfers_pending_receiver;
