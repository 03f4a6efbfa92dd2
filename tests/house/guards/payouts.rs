//! What the database refuses of money that goes back to cards.

/// A constraint, and what it refuses.
pub(super) const REFUSED: &[(&str, &str)] = &[
    (
        "payouts_order_has_its_performance",
        "insert into charges (id, account_id, request_key, points, amount_minor, currency, provider,
             provider_ref, payment_ref, pays, next_path, status, expires_at, settled_at, check_at)
         select '00000000-0000-0000-0000-00000000ca5e', account_id, gen_random_uuid(), 5, 500, 'KRW',
             'STRIPE', 'cs_1', 'pi_1', false, '/wallet', 'SETTLED', now(), now(), now()
         from wallets limit 1;
         insert into payouts (id, charge_id, points, amount_minor, schedule_id)
         values (gen_random_uuid(), '00000000-0000-0000-0000-00000000ca5e', 5, 500, (select id from schedules limit 1))",
    ),
    (
        "payouts_points_positive",
        "insert into charges (id, account_id, request_key, points, amount_minor, currency, provider,
             provider_ref, payment_ref, pays, next_path, status, expires_at, settled_at, check_at)
         select '00000000-0000-0000-0000-00000000ca5e', account_id, gen_random_uuid(), 5, 500, 'KRW',
             'STRIPE', 'cs_1', 'pi_1', false, '/wallet', 'SETTLED', now(), now(), now()
         from wallets limit 1;
         insert into payouts (id, charge_id, points, amount_minor)
         values (gen_random_uuid(), '00000000-0000-0000-0000-00000000ca5e', 0, 500)",
    ),
    (
        "payouts_amount_positive",
        "insert into charges (id, account_id, request_key, points, amount_minor, currency, provider,
             provider_ref, payment_ref, pays, next_path, status, expires_at, settled_at, check_at)
         select '00000000-0000-0000-0000-00000000ca5e', account_id, gen_random_uuid(), 5, 500, 'KRW',
             'STRIPE', 'cs_1', 'pi_1', false, '/wallet', 'SETTLED', now(), now(), now()
         from wallets limit 1;
         insert into payouts (id, charge_id, points, amount_minor)
         values (gen_random_uuid(), '00000000-0000-0000-0000-00000000ca5e', 5, 0)",
    ),
    (
        "payouts_open_was_not_sent",
        "insert into charges (id, account_id, request_key, points, amount_minor, currency, provider,
             provider_ref, payment_ref, pays, next_path, status, expires_at, settled_at, check_at)
         select '00000000-0000-0000-0000-00000000ca5e', account_id, gen_random_uuid(), 5, 500, 'KRW',
             'STRIPE', 'cs_1', 'pi_1', false, '/wallet', 'SETTLED', now(), now(), now()
         from wallets limit 1;
         insert into payouts (id, charge_id, points, amount_minor, sent_at)
         values (gen_random_uuid(), '00000000-0000-0000-0000-00000000ca5e', 5, 500, now())",
    ),
    (
        "payouts_sent_has_its_time",
        "insert into charges (id, account_id, request_key, points, amount_minor, currency, provider,
             provider_ref, payment_ref, pays, next_path, status, expires_at, settled_at, check_at)
         select '00000000-0000-0000-0000-00000000ca5e', account_id, gen_random_uuid(), 5, 500, 'KRW',
             'STRIPE', 'cs_1', 'pi_1', false, '/wallet', 'SETTLED', now(), now(), now()
         from wallets limit 1;
         insert into payouts (id, charge_id, points, amount_minor, status)
         values (gen_random_uuid(), '00000000-0000-0000-0000-00000000ca5e', 5, 500, 'SENT')",
    ),
    (
        "payouts_settled_has_its_name",
        "insert into charges (id, account_id, request_key, points, amount_minor, currency, provider,
             provider_ref, payment_ref, pays, next_path, status, expires_at, settled_at, check_at)
         select '00000000-0000-0000-0000-00000000ca5e', account_id, gen_random_uuid(), 5, 500, 'KRW',
             'STRIPE', 'cs_1', 'pi_1', false, '/wallet', 'SETTLED', now(), now(), now()
         from wallets limit 1;
         insert into payouts (id, charge_id, points, amount_minor, status, sent_at, ended_at)
         values (gen_random_uuid(), '00000000-0000-0000-0000-00000000ca5e', 5, 500, 'SETTLED', now(), now())",
    ),
    (
        "payouts_failed_has_its_reason",
        "insert into charges (id, account_id, request_key, points, amount_minor, currency, provider,
             provider_ref, payment_ref, pays, next_path, status, expires_at, settled_at, check_at)
         select '00000000-0000-0000-0000-00000000ca5e', account_id, gen_random_uuid(), 5, 500, 'KRW',
             'STRIPE', 'cs_1', 'pi_1', false, '/wallet', 'SETTLED', now(), now(), now()
         from wallets limit 1;
         insert into payouts (id, charge_id, points, amount_minor, status, ended_at)
         values (gen_random_uuid(), '00000000-0000-0000-0000-00000000ca5e', 5, 500, 'FAILED', now())",
    ),
    (
        "payouts_ended_has_its_time",
        "insert into charges (id, account_id, request_key, points, amount_minor, currency, provider,
             provider_ref, payment_ref, pays, next_path, status, expires_at, settled_at, check_at)
         select '00000000-0000-0000-0000-00000000ca5e', account_id, gen_random_uuid(), 5, 500, 'KRW',
             'STRIPE', 'cs_1', 'pi_1', false, '/wallet', 'SETTLED', now(), now(), now()
         from wallets limit 1;
         insert into payouts (id, charge_id, points, amount_minor, status, failure)
         values (gen_random_uuid(), '00000000-0000-0000-0000-00000000ca5e', 5, 500, 'FAILED', 'no')",
    ),
    (
        "payouts_refund_ref_key",
        "insert into charges (id, account_id, request_key, points, amount_minor, currency, provider,
             provider_ref, payment_ref, pays, next_path, status, expires_at, settled_at, check_at)
         select '00000000-0000-0000-0000-00000000ca5e', account_id, gen_random_uuid(), 5, 500, 'KRW',
             'STRIPE', 'cs_1', 'pi_1', false, '/wallet', 'SETTLED', now(), now(), now()
         from wallets limit 1;
         insert into payouts (id, charge_id, points, amount_minor, status, sent_at, refund_ref)
         values (gen_random_uuid(), '00000000-0000-0000-0000-00000000ca5e', 2, 200, 'SENT', now(), 're_1');
         insert into payouts (id, charge_id, points, amount_minor, status, sent_at, refund_ref)
         values (gen_random_uuid(), '00000000-0000-0000-0000-00000000ca5e', 2, 200, 'SENT', now(), 're_1')",
    ),
    (
        "payouts_retry_of_key",
        "insert into charges (id, account_id, request_key, points, amount_minor, currency, provider,
             provider_ref, payment_ref, pays, next_path, status, expires_at, settled_at, check_at)
         select '00000000-0000-0000-0000-00000000ca5e', account_id, gen_random_uuid(), 5, 500, 'KRW',
             'STRIPE', 'cs_1', 'pi_1', false, '/wallet', 'SETTLED', now(), now(), now()
         from wallets limit 1;
         insert into payouts (id, charge_id, points, amount_minor)
         values ('00000000-0000-0000-0000-00000000ca5f', '00000000-0000-0000-0000-00000000ca5e', 1, 100);
         insert into payouts (id, charge_id, points, amount_minor, retry_of)
         values (gen_random_uuid(), '00000000-0000-0000-0000-00000000ca5e', 1, 100, '00000000-0000-0000-0000-00000000ca5f');
         insert into payouts (id, charge_id, points, amount_minor, retry_of)
         values (gen_random_uuid(), '00000000-0000-0000-0000-00000000ca5e', 1, 100, '00000000-0000-0000-0000-00000000ca5f')",
    ),
    (
        "payouts_only_forward",
        "insert into charges (id, account_id, request_key, points, amount_minor, currency, provider,
             provider_ref, payment_ref, pays, next_path, status, expires_at, settled_at, check_at)
         select '00000000-0000-0000-0000-00000000ca5e', account_id, gen_random_uuid(), 5, 500, 'KRW',
             'STRIPE', 'cs_1', 'pi_1', false, '/wallet', 'SETTLED', now(), now(), now()
         from wallets limit 1;
         insert into payouts (id, charge_id, points, amount_minor)
         values (gen_random_uuid(), '00000000-0000-0000-0000-00000000ca5e', 5, 500);
         update payouts set points = 4",
    ),
    (
        "charges_paid_out_within_points",
        "insert into charges (id, account_id, request_key, points, amount_minor, currency, provider,
             provider_ref, payment_ref, pays, next_path, status, expires_at, settled_at, check_at)
         select '00000000-0000-0000-0000-00000000ca5e', account_id, gen_random_uuid(), 5, 500, 'KRW',
             'STRIPE', 'cs_1', 'pi_1', false, '/wallet', 'SETTLED', now(), now(), now()
         from wallets limit 1;
         insert into payouts (id, charge_id, points, amount_minor)
         values (gen_random_uuid(), '00000000-0000-0000-0000-00000000ca5e', 6, 500);
         update charges set paid_out = 6",
    ),
];
