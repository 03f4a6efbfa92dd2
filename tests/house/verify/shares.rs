//! Shares, their points and their tickets, each broken once.

use sqlx::PgPool;
use stagedoor::verify::Invariant::{
    ConfirmedIsPaidOnce, MovementsHaveTwoSides, PaidHasTickets, PointsAreConserved,
    RequestKeysHold, SharesAddUp,
};

use super::{breaks_after, run, violations};

pub(super) const SHARED: &str = include_str!("shared.sql");
/// Lets a share outlive its hold, which was released two minutes ago.
pub(super) const LATE: &str = "
    insert into shares (id, reservation_id, amount, code_hash)
    select '00000000-0000-0000-0000-000000000099', id, 30000, sha256('late')
    from reservations where id::text like '%95';
    insert into share_places (share_id, reservation_item_id, number, item_quantity)
    values ('00000000-0000-0000-0000-000000000099', '00000000-0000-0000-0000-00000000009a', 1, 1);
    update reservations set settled_at = now() - interval '2 minutes' where id::text like '%95'";

macro_rules! broken_shares {
    ($($name:ident: $invariant:ident, $sql:expr;)*) => {$(
        #[sqlx::test]
        async fn $name(db: PgPool) {
            breaks_after(db, SHARED, $invariant, $sql).await;
        }
    )*};
}

#[sqlx::test]
async fn an_office_where_people_pay_together_is_healthy(db: PgPool) {
    run(&db, super::HEALTHY.to_owned()).await;
    run(&db, SHARED.to_owned()).await;
    assert_eq!(violations(&db).await, []);
}

broken_shares! {
    a_share_that_costs_less_than_its_places: SharesAddUp,
        "update shares set amount = 29999 where id::text like '%97'";
    a_place_in_two_shares: SharesAddUp,
        "update share_places set number = 2 where share_id::text like '%97'";
    a_place_that_a_share_kept_after_its_end: SharesAddUp,
        "update share_places set live = true where share_id::text like '%96'";
    a_share_without_places: SharesAddUp,
        "delete from share_places where share_id::text like '%97'";
    a_share_of_places_of_another_reservation: SharesAddUp,
        "update share_places set reservation_item_id = '00000000-0000-0000-0000-00000000009a',
             item_quantity = 1
         where share_id::text like '%97'";
    a_holder_who_paid_by_the_link_of_a_friend: SharesAddUp,
        "update shares set code_hash = sha256('a link') where id::text like '%94'";
    a_reservation_that_nobody_noted_as_shared: SharesAddUp,
        "update reservations set is_shared = false where id::text like '%b2'";
    a_share_that_ended_and_whose_points_stayed: SharesAddUp,
        "update shares set status = 'TAKEN_BACK', settled_at = now() where id::text like '%98';
         update share_places set live = false where share_id::text like '%98'";
    points_that_were_withheld_for_no_share: SharesAddUp,
        "update point_transactions set reference_id = gen_random_uuid()
         where kind = 'SHARE_HOLD' and reference_id::text like '%98'";
    payments_of_shares_with_a_gap: ConfirmedIsPaidOnce,
        "update payments set number = 3 where id::text like '%94'";
    a_share_that_somebody_else_paid: ConfirmedIsPaidOnce,
        "update payments set account_id = '00000000-0000-0000-0000-0000000000c1'
         where id::text like '%93'";
    a_payment_that_left_its_points_withheld: ConfirmedIsPaidOnce,
        "update point_transactions set pending_change = 0
         where kind = 'PAYMENT' and reference_id::text like '%94';
         update wallets set pending = pending + 30000 where id::text like '%b6'";
    a_friends_ticket_that_the_holder_has: PaidHasTickets,
        "update tickets set account_id = '00000000-0000-0000-0000-0000000000b1'
         where code = 'SHARED-ADA'";
    withheld_points_that_the_house_has: MovementsHaveTwoSides,
        "insert into house_entries (wallet_id, wallet_version, amount)
         select wallet_id, wallet_version, 0 from point_transactions
         where kind = 'SHARE_HOLD' and reference_id::text like '%98'";
    an_answer_about_a_share_that_does_not_exist: RequestKeysHold,
        "insert into idempotency_keys (account_id, key, fingerprint, outcome)
         select id, gen_random_uuid(), '', jsonb_build_object('share_id', gen_random_uuid())
         from accounts where name = 'ada'";
}

/// An amount that moves with a share breaks the sign of its kind; what else it breaks is reported,
/// too.
#[sqlx::test]
async fn a_share_that_moved_points_by_itself(db: PgPool) {
    run(&db, super::HEALTHY.to_owned()).await;
    run(&db, SHARED.to_owned()).await;
    let sql = "update point_transactions set amount = -1
               where kind = 'SHARE_RELEASE' and reference_id::text like '%96'";
    run(&db, format!("{}; {sql}", super::UNGUARDED)).await;
    let found = violations(&db).await;
    assert!(found.iter().any(|found| found.invariant == PointsAreConserved), "{found:#?}");
}
