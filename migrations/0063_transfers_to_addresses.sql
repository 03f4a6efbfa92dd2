-- Transfers and hand-overs to an address that has no account.
--
-- A sender must not learn whether an address belongs to a customer, and so every request is answered
-- alike: one to an address without an account waits like any other, for an account that is made later
-- and confirms the address. The address is what the sender reads until the request is accepted; the
-- name of its receiver is not told before. Hand-overs were answered alike already, and can be accepted by
-- such an account, too.

-- Null: no account had the address when the request was made, and none has confirmed it since.
alter table transfers alter column receiver_id drop not null;
-- Address as the sender typed it, shown to the sender alone. Null once the request was accepted, some
-- time after any other end, and for requests of earlier versions.
alter table transfers add column address text;
alter table transfers add constraint transfers_address_length
    check (length(address) between 3 and 254);
alter table transfers add constraint transfers_pending_is_for_somebody
    check (status <> 'PENDING' or receiver_id is not null or address is not null);
alter table transfers add constraint transfers_answered_by_somebody
    check (status not in ('ACCEPTED', 'REJECTED') or receiver_id is not null);
alter table transfers add constraint transfers_accepted_keeps_no_address
    check (status <> 'ACCEPTED' or address is null);

-- Requests that wait for an account, for a worker; those to one address of one sender, newest first;
-- ended ones whose address is still kept, for a worker. Each condition is stated by its own statement
-- only, for the reason given at `schedule_seats_available`.
create index transfers_unclaimed on transfers (id) where receiver_id is null and status = 'PENDING';
create index transfers_sender_address on transfers (sender_id, address, status, id)
    where address is not null;
create index transfers_address_kept on transfers (expires_at)
    where address is not null and status <> 'PENDING';

-- The same of tickets.
create index ticket_hand_overs_unclaimed on ticket_hand_overs (id)
    where recipient_id is null and status = 'PENDING';
