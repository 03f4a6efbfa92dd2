//! Charges at the payment provider and their reversals, each broken once.

use sqlx::PgPool;
use stagedoor::verify::Invariant::{
    ChargesAreCreditedOnce, DebtorsOfferNothing, ReversalsAreBooked,
};

use super::breaks;

broken! {
    a_settled_charge_without_points: ChargesAreCreditedOnce,
        "insert into charges (id, account_id, request_key, points, amount_minor, currency, provider,
            provider_ref, payment_ref, pays, next_path, status, expires_at, settled_at, check_at)
         select gen_random_uuid(), account_id, gen_random_uuid(), 5, 5, 'KRW', 'STRIPE', 'cs_1',
            'pi_1', false, '/wallet', 'SETTLED', now(), now(), now()
         from wallets where version = 3";
    points_of_a_charge_that_is_not_settled: ChargesAreCreditedOnce,
        "update point_transactions set kind = 'PURCHASE'
         where kind = 'CHARGE' and wallet_id::text like '%a6';
         insert into charges (id, account_id, request_key, points, amount_minor, currency, provider,
            pays, next_path, expires_at, check_at)
         select reference_id, account_id, gen_random_uuid(), amount, 5, 'KRW', 'STRIPE', false,
            '/wallet', now(), now()
         from point_transactions join wallets on wallets.id = wallet_id where kind = 'PURCHASE'";
    points_that_nobody_paid_for: ChargesAreCreditedOnce,
        "update point_transactions set kind = 'PURCHASE'
         where kind = 'CHARGE' and wallet_id::text like '%a6'";
    a_debt_of_nothing: ReversalsAreBooked, "update wallets set debt = 5 where version = 3";
    points_taken_back_for_nothing: ReversalsAreBooked,
        "update point_transactions set kind = 'REINSTATEMENT'
         where kind = 'CHARGE' and wallet_id::text like '%a6'";
    money_kept_back_from_a_living_person: ChargesAreCreditedOnce,
        "insert into charges (id, account_id, request_key, points, amount_minor, currency, provider,
            provider_ref, payment_ref, pays, next_path, status, expires_at, settled_at, check_at,
            unclaimed_at)
         select gen_random_uuid(), account_id, gen_random_uuid(), 5, 5, 'KRW', 'STRIPE', 'cs_1',
            'pi_1', false, '/wallet', 'SETTLED', now(), now(), now(), now()
         from wallets where version = 3";
    a_debt_written_off_by_nobody: ReversalsAreBooked,
        "insert into house_entries (wallet_id, wallet_version, amount)
         select id, 4, 0 from wallets where version = 3;
         insert into point_transactions
             (id, wallet_id, wallet_version, kind, amount, balance_after, reference_id)
         select gen_random_uuid(), id, 4, 'WRITE_OFF', 0, balance, gen_random_uuid()
         from wallets where version = 3;
         update wallets set version = 4 where version = 3";
    a_write_off_that_the_ledger_does_not_know: ReversalsAreBooked,
        "update wallets set debt = 5 where version = 3;
         insert into debt_write_offs (id, wallet_id, points)
         select gen_random_uuid(), id, 5 from wallets where version = 3";
    a_transfer_of_points_that_are_owed: DebtorsOfferNothing,
        "update point_transactions set kind = 'PURCHASE'
         where kind = 'CHARGE' and wallet_id::text like '%a6';
         insert into charges (id, account_id, request_key, points, amount_minor, currency, provider,
            provider_ref, payment_ref, pays, next_path, status, expires_at, settled_at, check_at,
            reversed)
         select reference_id, account_id, gen_random_uuid(), amount, 5, 'KRW', 'STRIPE', 'cs_1',
            'pi_1', false, '/wallet', 'DISPUTED', now(), now(), now(), 60000
         from point_transactions join wallets on wallets.id = wallet_id where kind = 'PURCHASE';
         insert into charge_reversals (id, charge_id, cause, cause_ref, points, moved)
         select gen_random_uuid(), id, 'DISPUTE', 'dp_1', 60000, 0 from charges;
         update wallets set debt = 60000 where id::text like '%a6'";
    reversed_points_without_a_reversal: ReversalsAreBooked,
        "update point_transactions set kind = 'PURCHASE'
         where kind = 'CHARGE' and wallet_id::text like '%a6';
         insert into charges (id, account_id, request_key, points, amount_minor, currency, provider,
            provider_ref, payment_ref, pays, next_path, status, expires_at, settled_at, check_at,
            reversed)
         select reference_id, account_id, gen_random_uuid(), amount, 5, 'KRW', 'STRIPE', 'cs_1',
            'pi_1', false, '/wallet', 'SETTLED', now(), now(), now(), 7
         from point_transactions join wallets on wallets.id = wallet_id where kind = 'PURCHASE'";
}
