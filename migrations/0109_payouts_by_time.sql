-- Payouts of a span of time, to be compared with the refunds that the payment provider lists. The condition is stated by
-- its statement only, for the reason given at `schedule_seats_available`.
create index payouts_created_at on payouts (created_at, id) where amount_minor > 0;
