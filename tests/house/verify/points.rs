//! Wallets, their histories and transfers, each broken once.

use sqlx::PgPool;
use stagedoor::verify::Invariant::{
    HistoryIsAChain, PointsAreConserved, TransfersMatchEntries, WalletsSumUp,
};

use super::breaks;

broken! {
    points_swapped_between_two_wallets: WalletsSumUp,
        "update wallets set balance = balance + case version when 4 then 5 when 5 then -5 else 0 end";
    pending_points_of_nothing: WalletsSumUp, "update wallets set pending = pending + 1 where version = 3";
    a_gap_in_a_history: HistoryIsAChain,
        "update point_transactions set wallet_version = 9 where kind = 'REFUND';
         update house_entries set wallet_version = 9
         where wallet_version = 3 and wallet_id::text like '%c8';
         update wallets set version = 9 where version = 3";
    a_balance_that_does_not_follow: HistoryIsAChain,
        "update point_transactions set balance_after = 1 where kind = 'TRANSFER_RELEASE'";
    a_version_without_a_change: HistoryIsAChain, "update wallets set version = 6 where version = 5";
    points_from_nowhere: PointsAreConserved,
        "update point_transactions set kind = 'GIFT' where kind = 'CHARGE' and wallet_id::text like '%a6'";
    a_charge_that_takes: PointsAreConserved,
        "insert into house_entries (wallet_id, wallet_version, amount)
         select id, nth, case nth when 4 then 5 else -5 end
         from wallets, generate_series(4, 5) nth where version = 3;
         insert into point_transactions
             (id, wallet_id, wallet_version, kind, amount, balance_after, reference_id)
         select gen_random_uuid(), id, nth, 'CHARGE', case nth when 4 then -5 else 5 end,
             case nth when 4 then balance - 5 else balance end, gen_random_uuid()
         from wallets, generate_series(4, 5) nth where version = 3;
         update wallets set version = 5 where version = 3";
    an_open_request_that_withheld_twice: TransfersMatchEntries,
        "insert into point_transactions
            (id, wallet_id, wallet_version, kind, amount, pending_change, balance_after, reference_id)
         select gen_random_uuid(), wallet_id, 5, kind, amount, 0, 52000, gen_random_uuid()
         from point_transactions where wallet_id::text like '%a6' and kind = 'TRANSFER_HOLD';
         update wallets set version = 5 where version = 4";
    a_rejected_request_that_kept_nothing_back: TransfersMatchEntries,
        "update transfer_status_history set status = 'ACCEPTED' where status = 'REJECTED';
         update transfers set status = 'ACCEPTED' where status = 'REJECTED'";
    a_request_for_more_than_was_withheld: TransfersMatchEntries, "update transfers set amount = 1001 where status = 'PENDING'";
    a_request_that_paid_somebody_else: TransfersMatchEntries,
        "update transfers set receiver_id = '00000000-0000-0000-0000-0000000000c1' where status = 'ACCEPTED'";
}
