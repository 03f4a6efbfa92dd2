//! Money that goes back to cards, each rule broken once.

use sqlx::PgPool;
use stagedoor::verify::Invariant::PayoutsAreBooked;

use super::breaks;

broken! {
    money_that_goes_back_while_its_points_stay: PayoutsAreBooked,
        "update point_transactions set kind = 'PURCHASE'
         where kind = 'CHARGE' and wallet_id::text like '%a6';
         insert into charges (id, account_id, request_key, points, amount_minor, currency, provider,
            provider_ref, payment_ref, pays, next_path, status, expires_at, settled_at, check_at,
            paid_out)
         select reference_id, account_id, gen_random_uuid(), amount, 5, 'KRW', 'STRIPE', 'cs_1',
            'pi_1', false, '/wallet', 'SETTLED', now(), now(), now(), 5
         from point_transactions join wallets on wallets.id = wallet_id where kind = 'PURCHASE';
         insert into payouts (id, charge_id, points, amount_minor)
         select gen_random_uuid(), id, 5, 5 from charges";
    points_that_no_payout_took: PayoutsAreBooked,
        "update point_transactions set kind = 'PURCHASE'
         where kind = 'CHARGE' and wallet_id::text like '%a6';
         insert into charges (id, account_id, request_key, points, amount_minor, currency, provider,
            provider_ref, payment_ref, pays, next_path, status, expires_at, settled_at, check_at,
            paid_out)
         select reference_id, account_id, gen_random_uuid(), amount, 5, 'KRW', 'STRIPE', 'cs_1',
            'pi_1', false, '/wallet', 'SETTLED', now(), now(), now(), 7
         from point_transactions join wallets on wallets.id = wallet_id where kind = 'PURCHASE'";
    points_of_a_payout_that_nobody_made: PayoutsAreBooked,
        "update point_transactions set kind = 'PAYOUT_RETURN'
         where kind = 'CHARGE' and wallet_id::text like '%a6'";
    more_money_that_goes_back_than_came: PayoutsAreBooked,
        "update point_transactions set kind = 'PURCHASE'
         where kind = 'CHARGE' and wallet_id::text like '%a6';
         insert into charges (id, account_id, request_key, points, amount_minor, currency, provider,
            provider_ref, payment_ref, pays, next_path, status, expires_at, settled_at, check_at,
            paid_out)
         select reference_id, account_id, gen_random_uuid(), amount, 5, 'KRW', 'STRIPE', 'cs_1',
            'pi_1', false, '/wallet', 'SETTLED', now(), now(), now(), 0
         from point_transactions join wallets on wallets.id = wallet_id where kind = 'PURCHASE';
         insert into payouts (id, charge_id, points, amount_minor)
         select gen_random_uuid(), id, 1, 6 from charges";
}
