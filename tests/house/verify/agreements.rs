//! Refunds, stays, transfers and the house's entries, each broken once.

use sqlx::PgPool;
use stagedoor::verify::Invariant::{
    HoldsBeginInside, MovementsHaveTwoSides, RefundsAsAgreed, TransfersMatchHistory,
};

use super::{HEALTHY, UNGUARDED, breaks, run, violations};

broken! {
    a_share_that_nobody_agreed_to: RefundsAsAgreed,
        "update point_transactions set amount = 25001, balance_after = 75001 where kind = 'REFUND';
         update house_entries set amount = -25001
         where wallet_version = 3 and wallet_id::text like '%c8';
         update wallets set balance = 75001 where version = 3";
    all_given_back_by_nobody: RefundsAsAgreed,
        "update point_transactions set amount = 50000, balance_after = 100000 where kind = 'REFUND';
         update house_entries set amount = -50000
         where wallet_version = 3 and wallet_id::text like '%c8';
         update wallets set balance = 100000 where version = 3";
    more_than_the_step_that_held: RefundsAsAgreed,
        "update reservations set refund_steps = jsonb_build_array(
             jsonb_build_object('hours', 8760, 'zone', 'Asia/Seoul', 'percent', 50, 'fee', 0,
                 'until', now() - interval '32 minutes'),
             jsonb_build_object('hours', 0, 'zone', 'Asia/Seoul', 'percent', 49, 'fee', 0,
                 'until', now() + interval '6 days'))";
    a_refund_after_the_last_step: RefundsAsAgreed,
        "update reservations set refund_steps = jsonb_build_array(
             jsonb_build_object('hours', 8760, 'zone', 'Asia/Seoul', 'percent', 50, 'fee', 0,
                 'until', now() - interval '32 minutes'))";
    a_refund_without_the_fee_of_its_step: RefundsAsAgreed,
        "update reservations set refund_steps = jsonb_build_array(
             jsonb_build_object('hours', 0, 'zone', 'Asia/Seoul', 'percent', 50, 'fee', 1,
                 'until', now() + interval '6 days'))";
    less_than_a_move_gave_a_right_to: RefundsAsAgreed,
        "insert into schedule_moves (schedule_id, moved_at, refund_until, was_at, is_at, full_refund_until)
         select id, now() - interval '30 minutes', starts_at, starts_at - interval '1 day', starts_at,
             now() + interval '13 days' from schedules";
    all_given_back_after_the_right_of_a_move: RefundsAsAgreed,
        "update point_transactions set amount = 50000, balance_after = 100000 where kind = 'REFUND';
         update house_entries set amount = -50000
         where wallet_version = 3 and wallet_id::text like '%c8';
         update wallets set balance = 100000 where version = 3;
         insert into schedule_moves (schedule_id, moved_at, refund_until, was_at, is_at, full_refund_until)
         select id, now() - interval '30 minutes', starts_at, starts_at - interval '1 day', starts_at,
             now() - interval '10 minutes' from schedules";
    an_unused_ticket_of_what_is_wound_down: RefundsAsAgreed,
        "update programs set status = 'CANCELLED', cancelled_at = now(), wound_down_at = now()";
    an_unused_ticket_of_a_performance_that_is_wound_down: RefundsAsAgreed,
        "update schedules set cancelled_at = now(), wound_down_at = now()";
    a_hold_of_somebody_outside: HoldsBeginInside,
        "update queue_tokens set admitted_at = now() where status = 'COMPLETED'";
    a_hold_after_the_stay: HoldsBeginInside,
        "update queue_tokens set stay_ends_at = now() - interval '75 seconds'
         where status = 'COMPLETED'";
    a_hold_after_leaving: HoldsBeginInside,
        "update queue_tokens set ended_at = now() - interval '75 seconds' where status = 'COMPLETED'";
    a_hold_of_too_many_places: HoldsBeginInside, "update reservations set places_max = 1 where status = 'HELD'";
    a_hold_beside_too_many_others: HoldsBeginInside,
        "update reservations set places_max = 1 where status = 'EXPIRED'";
    a_transfer_without_a_history: TransfersMatchHistory,
        "delete from transfer_status_history where transfer_id::text like '%d1'";
    a_transfer_that_was_settled_twice: TransfersMatchHistory,
        "insert into transfer_status_history (transfer_id, version, status)
         select id, 2, 'REJECTED' from transfers where status = 'ACCEPTED'";
    a_status_that_nobody_noted: TransfersMatchHistory,
        "update transfer_status_history set status = 'CANCELLED' where status = 'REJECTED'";
    an_acceptance_before_the_start: TransfersMatchHistory,
        "update transfers set starts_at = now() + interval '1 day' where status = 'ACCEPTED'";
    points_that_nobody_gave: MovementsHaveTwoSides, "delete from house_entries where wallet_id::text like '%a6'";
    a_house_that_keeps_too_much: MovementsHaveTwoSides,
        "update house_entries set amount = amount + 1 where wallet_id::text like '%b6'";
    a_house_that_takes_part_in_a_transfer: MovementsHaveTwoSides,
        "insert into house_entries (wallet_id, wallet_version, amount)
         select wallet_id, wallet_version, 0 from point_transactions where kind = 'TRANSFER_IN'";
    an_entry_of_the_house_alone: MovementsHaveTwoSides,
        "insert into house_entries (wallet_id, wallet_version, amount)
         select id, 99, 0 from wallets where version = 3";
    an_adjustment_that_nobody_made: MovementsHaveTwoSides,
        "update point_transactions set kind = 'ADJUSTMENT'
         where kind = 'CHARGE' and wallet_id::text like '%a6'";
}

/// The refund of the healthy office gives everything back.
const ALL_GIVEN_BACK: &str = "
    update point_transactions set amount = 50000, balance_after = 100000 where kind = 'REFUND';
    update house_entries set amount = -50000 where wallet_version = 3 and wallet_id::text like '%c8';
    update wallets set balance = 100000 where version = 3;";

#[sqlx::test]
async fn what_the_management_gave_back_may_be_all_of_it_and_used(db: PgPool) {
    run(&db, HEALTHY.to_owned()).await;
    let all = format!(
        "{UNGUARDED}; {ALL_GIVEN_BACK}
         update tickets set status = 'USED', used_at = now() where code = 'CAS';
         insert into audit_log (id, account_id, act, subject_kind, subject_id)
         select gen_random_uuid(), account_id, 'refunded', 'reservation', id from reservations
         where status = 'REFUNDED'"
    );
    run(&db, all).await;
    assert_eq!(violations(&db).await, Vec::new());
}

#[sqlx::test]
async fn what_is_given_back_is_what_a_step_gave_up_to_a_minute_ago(db: PgPool) {
    run(&db, HEALTHY.to_owned()).await;
    // The refund is booked now: with a fee, and just after the end of the step that it may have read.
    for (until, percent, fee) in [("6 days", 51, 500), ("-10 seconds", 50, 0)] {
        let steps = format!(
            "update reservations set refund_steps = jsonb_build_array(
                 jsonb_build_object('hours', 8760, 'zone', 'Asia/Seoul', 'percent', 90, 'fee', 0,
                     'until', now() - interval '40 minutes'),
                 jsonb_build_object('hours', 8760, 'zone', 'Asia/Seoul', 'percent', {percent}, 'fee', {fee},
                     'until', now() + interval '{until}'))"
        );
        run(&db, steps).await;
        assert_eq!(violations(&db).await, Vec::new(), "{until}");
    }
}

#[sqlx::test]
async fn what_is_given_back_after_a_move_is_all_of_it(db: PgPool) {
    run(&db, HEALTHY.to_owned()).await;
    let all = format!(
        "{UNGUARDED}; {ALL_GIVEN_BACK}
         insert into schedule_moves (schedule_id, moved_at, refund_until, was_at, is_at, full_refund_until)
         select id, now() - interval '30 minutes', starts_at, starts_at - interval '1 day', starts_at,
             now() + interval '13 days' from schedules"
    );
    run(&db, all).await;
    assert_eq!(violations(&db).await, Vec::new());
}

/// The wheelchair place of the sold companion's place was ada's as well, until a minute ago.
#[sqlx::test]
async fn a_companion_may_stay_when_the_wheelchair_place_was_given_back_later(db: PgPool) {
    run(&db, HEALTHY.to_owned()).await;
    run(
        &db,
        "update seats set kind = 'WHEELCHAIR' where number = 3;
         update seats set kind = 'COMPANION', companion_of = 3 where number = 1;
         update schedule_seats c set kind = s.kind, wheelchair_seat_id = w.id
         from seats s left join seats w on w.number = s.companion_of where s.id = c.seat_id;
         update reservations set kept_until = now() + interval '1 day' where status = 'CONFIRMED';
         insert into reservations (id, account_id, schedule_id, program_id, status, total,
             created_at, hold_ttl_secs, expires_at, refund_until, refund_percent, places_max,
             settled_at)
         select gen_random_uuid(), account_id, schedule_id, program_id, 'CANCELLED', 1,
             created_at, hold_ttl_secs, expires_at, refund_until, refund_percent, places_max,
             now() - interval '5 seconds'
         from reservations where status = 'CONFIRMED';
         insert into reservation_items
             (id, reservation_id, schedule_id, schedule_seat_id, unit_price, live)
         select gen_random_uuid(), r.id, r.schedule_id, c.id, 1, false
         from reservations r, schedule_seats c join seats s on s.id = c.seat_id
         where r.status = 'CANCELLED' and s.number = 3"
            .to_owned(),
    )
    .await;
    assert_eq!(violations(&db).await, Vec::new());
}
