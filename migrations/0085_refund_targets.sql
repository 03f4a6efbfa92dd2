-- Where the refunds of a cancelled program or performance go: into the payers' wallets, or back to the cards.
--
-- Staff choose with the cancellation, and the workers that give the orders back read it. A version before this
-- one gives points back, whatever was chosen, and they can be paid out from the wallet.

alter table programs add column refund_target text not null default 'WALLET';
alter table programs add constraint programs_refund_target_known
    check (refund_target in ('WALLET', 'CARD')) not valid;
alter table programs validate constraint programs_refund_target_known;
alter table schedules add column refund_target text not null default 'WALLET';
alter table schedules add constraint schedules_refund_target_known
    check (refund_target in ('WALLET', 'CARD')) not valid;
alter table schedules validate constraint schedules_refund_target_known;
