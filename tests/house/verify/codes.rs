//! Codes, their uses and discounts, each broken once.

use sqlx::PgPool;
use stagedoor::verify::Invariant::{
    CodesAreUsedWithinLimits, ConfirmedAddsUp, GatesAdmitTheInvited, HiddenIsHeldByTheInvited,
    SeatsAgreeWithItems, SharesAddUp,
};

use super::{breaks_after, run, shares::SHARED, violations};

/// Bob's hold of two places was made with a code.
const CODED: &str = "
    insert into sale_codes (id, program_id, word, percent, uses, uses_max, uses_per_account_max,
        valid_from, created_at)
    values ('00000000-0000-0000-0000-0000000000c0', '00000000-0000-0000-0000-000000000001', 'SUMMER', 10,
        1, 1, 1, now() - interval '1 hour', now() - interval '1 hour');
    update reservations set sale_code_id = '00000000-0000-0000-0000-0000000000c0', discount = 6000,
        total = 54000
    where id::text like '%b2'";

/// Its two shares, each less half of the discount.
const DISCOUNTED_SHARES: &str = "
    update shares set amount = 27000 where reservation_id::text like '%b2';
    update point_transactions set pending_change = 27000
    where kind = 'SHARE_HOLD' and reference_id::text like '%98';
    update wallets set pending = pending - 3000 where id::text like '%c8'";

macro_rules! broken_codes {
    ($($name:ident: $invariant:ident, $sql:expr;)*) => {$(
        #[sqlx::test]
        async fn $name(db: PgPool) {
            breaks_after(db, CODED, $invariant, $sql).await;
        }
    )*};
}

#[sqlx::test]
async fn a_code_whose_places_are_counted_is_healthy(db: PgPool) {
    for part in [super::HEALTHY, CODED, "update sale_codes set places_max = 2, places = 2"] {
        run(&db, part.to_owned()).await;
    }
    assert_eq!(violations(&db).await, []);
}

#[sqlx::test]
async fn an_office_with_codes_and_shares_is_healthy(db: PgPool) {
    for part in [super::HEALTHY, SHARED, super::UNGUARDED, CODED, DISCOUNTED_SHARES] {
        run(&db, part.to_owned()).await;
    }
    assert_eq!(violations(&db).await, []);
    run(&db, "update shares set amount = 30000 where id::text like '%97'".to_owned()).await;
    let found = violations(&db).await;
    assert!(
        found.iter().all(|found| found.invariant == SharesAddUp) && found.len() == 1,
        "{found:#?}"
    );
}

broken_codes! {
    a_use_that_nobody_has: CodesAreUsedWithinLimits, "update sale_codes set uses = 2, uses_max = 2";
    a_use_that_was_not_counted: CodesAreUsedWithinLimits, "update sale_codes set uses = 0";
    more_uses_than_may_be: CodesAreUsedWithinLimits,
        "update sale_codes set uses = 2;
         insert into reservations (id, account_id, schedule_id, program_id, total, discount, sale_code_id,
             created_at, hold_ttl_secs, expires_at, refund_until, refund_percent, places_max)
         select '00000000-0000-0000-0000-0000000000bb', account_id, schedule_id, program_id, 27000, 3000,
             sale_code_id, created_at, 300, created_at + interval '5 minutes', refund_until, 50, 8
         from reservations where id::text like '%b2';
         insert into reservation_items (id, reservation_id, schedule_id, zone_id, quantity, unit_price)
         select gen_random_uuid(), '00000000-0000-0000-0000-0000000000bb', schedule_id, zone_id, 1, 30000
         from reservation_items where id::text like '%b3';
         update zones set remaining = remaining - 1";
    places_that_nobody_has: CodesAreUsedWithinLimits, "update sale_codes set places_max = 5, places = 3";
    more_places_than_may_be: CodesAreUsedWithinLimits,
        "update sale_codes set places_max = 1, places = 2";
    another_discount_than_the_code_gives: CodesAreUsedWithinLimits,
        "update reservations set discount = 5000, total = 55000 where id::text like '%b2'";
    a_discount_of_no_code: CodesAreUsedWithinLimits,
        "alter table reservations drop constraint reservations_discount_of_code;
         update reservations set sale_code_id = null where id::text like '%b2';
         update sale_codes set uses = 0";
    a_code_before_its_time: CodesAreUsedWithinLimits, "update sale_codes set valid_from = now()";
    a_code_after_its_time: CodesAreUsedWithinLimits,
        "update sale_codes set valid_until = now() - interval '30 minutes'";
    a_code_that_was_withdrawn_before: CodesAreUsedWithinLimits,
        "update sale_codes set withdrawn_at = now() - interval '30 minutes'";
    a_redemption_that_was_not_counted: CodesAreUsedWithinLimits,
        "insert into sale_codes (id, program_id, word, is_access, section)
         select '00000000-0000-0000-0000-0000000000c1', program_id, 'VIP', true, 'Stalls' from sale_codes;
         insert into code_redemptions (account_id, sale_code_id)
         values ('00000000-0000-0000-0000-0000000000a1', '00000000-0000-0000-0000-0000000000c1')";
    hidden_places_that_were_not_open: HiddenIsHeldByTheInvited,
        "update zones set hidden_at = now() - interval '2 minutes'";
    a_free_seat_of_a_hidden_section_for_everybody: SeatsAgreeWithItems,
        "alter table schedule_seats drop constraint schedule_seats_free_as_hidden;
         update schedule_seats set hidden_at = now()";
    a_code_for_another_section: CodesAreUsedWithinLimits, "update sale_codes set section = 'Stalls'";
    hidden_places_of_a_code_that_means_no_zone: HiddenIsHeldByTheInvited,
        "insert into sale_codes (id, program_id, word, is_access, section, uses)
         select '00000000-0000-0000-0000-0000000000c1', program_id, 'FLOOR', true, 'Standing', 1
         from sale_codes;
         insert into code_redemptions (account_id, sale_code_id, redeemed_at)
         values ('00000000-0000-0000-0000-0000000000b1', '00000000-0000-0000-0000-0000000000c1',
             now() - interval '1 hour');
         delete from sale_code_zones;
         update zones set hidden_at = now() - interval '2 minutes'";
    a_shown_seat_of_a_hidden_section: HiddenIsHeldByTheInvited,
        "update schedule_seats set hidden_at = now(), status = free_status(now())
         where id = (select min(id) from schedule_seats where is_free(status))";
    an_access_gate_without_its_code: GatesAdmitTheInvited,
        "insert into access_gates (id, program_id, opens_at, capacity)
         select '00000000-0000-0000-0000-0000000000d1', program_id, now() - interval '1 day', 5
         from sale_codes;
         update queue_tokens set gate_id = '00000000-0000-0000-0000-0000000000d1'
         where account_id::text like '%a1'";
    an_admission_before_the_gate_opened: GatesAdmitTheInvited,
        "insert into access_gates (id, program_id, opens_at, capacity)
         select '00000000-0000-0000-0000-0000000000d1', program_id, now() - interval '1 minute', 5
         from sale_codes;
         insert into sale_codes (id, program_id, word, is_access, uses, gate_id)
         select '00000000-0000-0000-0000-0000000000c1', program_id, 'EARLY', true, 1,
             '00000000-0000-0000-0000-0000000000d1'
         from sale_codes;
         insert into code_redemptions (account_id, sale_code_id, redeemed_at)
         values ('00000000-0000-0000-0000-0000000000a1', '00000000-0000-0000-0000-0000000000c1',
             now() - interval '1 hour');
         update queue_tokens
         set gate_id = '00000000-0000-0000-0000-0000000000d1', through_gate = true
         where account_id::text like '%a1'";
    a_discount_that_is_not_in_the_total: ConfirmedAddsUp,
        "update reservations set total = 60000 where id::text like '%b2'";
}
