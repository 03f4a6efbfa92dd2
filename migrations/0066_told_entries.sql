-- Mails to accounts with an entry in a draw whose show is cancelled.
--
-- An account in line gets its mail in the transaction that ends its place. An entry has no place yet and is not
-- ended, because the public list of entries must stay as it is. So the draw keeps how far its entries have
-- their mails, in the order of their commitments. A version before this one leaves the column null.
alter table queue_draws add column told_after bytea;
alter table queue_draws add constraint queue_draws_told_after_length check (length(told_after) = 32) not valid;
alter table queue_draws validate constraint queue_draws_told_after_length;
