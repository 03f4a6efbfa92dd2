//! Each invariant is broken once and seen broken, and nothing else is.

mod queue;

use std::{collections::BTreeSet, time::Duration};

use sqlx::{AssertSqlSafe, Connection, PgConnection, PgPool, raw_sql};
use stagedoor::{
    infra::{locks::Lease, redis::Redis},
    verify::{
        FAILURES_MAX,
        Invariant::{
            self, CapacityHolds, CompanionsComeWithWheelchairs, ConfirmedAddsUp,
            ConfirmedIsPaidOnce, EventsInOrder, HoldEndIsFixed, LocksEnd, NoIdleTransaction,
            NoPaymentStandsAlone, NumbersAreWhole, PaidHasTickets, RequestKeysHold, SeatIsLiveOnce,
            SeatsAgreeWithItems, SharesAddUp, TicketsFollowHandOvers, TransfersEnd,
            ZonesAgreeWithItems,
        },
        Violation, verify, verify_database,
    },
};
use uuid::Uuid;

use crate::support::{app, pool};

const HEALTHY: &str = include_str!("healthy.sql");
/// What only a bug in the constraints could let through.
const UNGUARDED: &str = "
    alter table point_transactions disable trigger point_transactions_append_only;
    alter table house_entries disable trigger house_entries_append_only;
    alter table house_entries disable trigger house_entries_not_deleted;
    alter table transfer_status_history disable trigger transfer_status_history_append_only;
    alter table wallets drop constraint wallets_version_has_its_entry;
    alter table house_entries drop constraint house_entries_of_an_entry;
    alter table reservations drop constraint reservations_paid_before_its_end;
    alter table point_transactions drop constraint point_transactions_kind_known;
    drop index reservation_items_live_seat_key, payments_live_key;
    alter table queue_tokens drop constraint queue_tokens_program_id_queue_number_key;
    alter table tickets drop constraint tickets_of_item;
    alter table tickets disable trigger tickets_new_holder_has_new_code;
    alter table ticket_hand_overs disable trigger ticket_hand_overs_end_once, drop constraint ticket_hand_overs_ticket_id_fkey;
    alter table ticket_holder_changes drop constraint ticket_holder_changes_ticket_id_fkey,
        disable trigger ticket_holder_changes_append_only, disable trigger ticket_holder_changes_not_deleted;
    alter table ticket_returns disable trigger ticket_returns_end_once;
    drop index share_places_live_key;
    alter table shares disable trigger shares_only_forward;
    alter table price_types disable trigger price_types_never_change;
    alter table reservation_items drop constraint reservation_items_type_is_not_dearer;
    alter table queue_tokens disable trigger queue_tokens_entry_kept;
    alter table accounts disable trigger accounts_deleted_is_final;
    alter table accounts drop constraint accounts_deleted_is_nobody;
    alter table wallets drop constraint wallets_closed_is_empty;
    alter table wishes disable trigger wishes_end_once;
    alter table sale_codes disable trigger sale_codes_kept;
    alter table sale_codes drop constraint sale_codes_uses_within_max;
    alter table sale_codes drop constraint sale_codes_places_within_max;
    alter table webhook_deliveries drop constraint webhook_deliveries_delivered_or_failed;
    alter table outbox drop constraint outbox_sent_or_failed;
    alter table outbox drop constraint outbox_ended_keeps_no_secret;";

async fn violations(db: &PgPool) -> Vec<Violation> {
    // Nothing that connects for longer: it would look like an instance.
    let redis_url = std::env::var("REDIS_URL").unwrap();
    let redis = Redis::open(&redis_url, &Uuid::new_v4().to_string()).unwrap();
    verify(&pool(db, 1), &redis).await.unwrap()
}

async fn run(db: &PgPool, sql: String) {
    raw_sql(AssertSqlSafe(sql)).execute(db).await.unwrap();
}

/// Breaks a healthy office with `sql` and asks that exactly `invariant` is seen broken.
async fn breaks(db: PgPool, invariant: Invariant, sql: &str) {
    breaks_after(db, "", invariant, sql).await;
}

/// Works as [`breaks`] in a healthy office with what `more` adds.
async fn breaks_after(db: PgPool, more: &str, invariant: Invariant, sql: &str) {
    // A key that is asked at the commit: nothing is left to be asked when it goes.
    run(&db, HEALTHY.to_owned()).await;
    run(&db, more.to_owned()).await;
    run(&db, format!("{UNGUARDED}; {sql}")).await;
    let found = violations(&db).await;
    let invariants: BTreeSet<Invariant> = found.iter().map(|found| found.invariant).collect();
    assert_eq!(invariants, BTreeSet::from([invariant]), "{found:#?}");
}

macro_rules! broken {
    ($($name:ident: $invariant:ident, $sql:expr;)*) => {$(
        #[sqlx::test]
        async fn $name(db: PgPool) {
            breaks(db, $invariant, $sql).await;
        }
    )*};
}

mod agreements;
mod charges;
mod codes;
mod deletions;
mod draws;
mod events;
mod exchanges;
mod hand_overs;
mod names;
mod payouts;
mod points;
mod popularity;
mod price_types;
mod public_log;
mod receipts;
mod refusals;
mod returns;
mod setbacks;
mod shares;
mod waiting_lists;

broken! {
    one_seat_sold_twice: SeatIsLiveOnce,
        "insert into reservation_items
             (id, reservation_id, schedule_id, schedule_seat_id, unit_price)
         select gen_random_uuid(), reservation_id, schedule_id, schedule_seat_id, 0
         from reservation_items where id::text like '%a3';
         insert into tickets (id, reservation_item_id, number, item_quantity, account_id, code)
         select gen_random_uuid(), i.id, 1, 1, '00000000-0000-0000-0000-0000000000a1', 'TWICE'
         from reservation_items i where unit_price = 0";
    a_lapsed_hold_that_keeps_its_place: SeatsAgreeWithItems,
        "update reservation_items set live = true where id::text like '%c6';
         update zones set remaining = 97";
    a_sold_seat_that_shows_free: SeatsAgreeWithItems, "update schedule_seats set status = 'AVAILABLE' where status = 'RESERVED'";
    a_seat_that_nobody_holds: SeatsAgreeWithItems, "update schedule_seats set status = 'HELD' where id = 3";
    a_hold_that_was_prolonged: HoldEndIsFixed,
        "update reservations set expires_at = expires_at + interval '1 second' where status = 'HELD'";
    a_renewal_that_gave_nothing: HoldEndIsFixed, "update reservations set renewed_at = now() where status = 'CONFIRMED'";
    a_payment_after_the_end: ConfirmedAddsUp,
        "update payments set created_at = now() + interval '10 minutes' where status = 'COMPLETED'";
    a_decision_after_the_end: ConfirmedAddsUp,
        "update reservations set confirmed_at = expires_at where status = 'CONFIRMED'";
    a_total_that_does_not_add_up: ConfirmedAddsUp, "update reservations set total = 1 where status = 'HELD'";
    an_empty_reservation: ConfirmedAddsUp, "delete from reservation_items where id::text like '%c6'";
    a_companion_without_a_wheelchair: CompanionsComeWithWheelchairs,
        "update seats set kind = 'WHEELCHAIR' where number = 2;
         update seats set kind = 'COMPANION', companion_of = 2 where number = 1;
         update schedule_seats c set kind = s.kind, wheelchair_seat_id = w.id
         from seats s left join seats w on w.number = s.companion_of where s.id = c.seat_id;
         update reservations set kept_until = now() + interval '1 day' where status = 'CONFIRMED'";
    a_companion_beside_no_wheelchair: CompanionsComeWithWheelchairs,
        "update seats set kind = 'COMPANION', companion_of = 4 where number = 3;
         update schedule_seats c set kind = s.kind, wheelchair_seat_id = w.id
         from seats s left join seats w on w.number = s.companion_of where s.id = c.seat_id";
    a_seat_of_another_kind_than_in_the_plan: CompanionsComeWithWheelchairs,
        "update seats set kind = 'EASY_ACCESS' where number = 3";
    a_place_that_got_lost: ZonesAgreeWithItems, "update zones set remaining = 97";
    a_confirmation_without_a_payment: ConfirmedIsPaidOnce,
        "insert into audit_log (id, account_id, act, subject_kind, subject_id)
         select id, account_id, 'points-adjusted', 'account', account_id from payments
         where id::text like '%a4';
         delete from payments where status = 'COMPLETED';
         update point_transactions set kind = 'ADJUSTMENT' where kind = 'PAYMENT' and reference_id::text like '%a4';
         delete from idempotency_keys";
    a_payment_that_took_no_points: ConfirmedIsPaidOnce,
        "insert into audit_log (id, account_id, act, subject_kind, subject_id)
         select id, account_id, 'points-adjusted', 'account', account_id from payments
         where id::text like '%a4';
         update point_transactions set kind = 'ADJUSTMENT' where kind = 'PAYMENT' and reference_id::text like '%a4'";
    a_refund_that_gave_nothing_back: ConfirmedIsPaidOnce,
        "update point_transactions set kind = 'CHARGE' where kind = 'REFUND'";
    a_second_payment: ConfirmedIsPaidOnce,
        "insert into payments (id, reservation_id, account_id, amount, status, created_at)
         select gen_random_uuid(), reservation_id, account_id, amount, 'COMPLETED', created_at
         from payments where status = 'COMPLETED'";
    a_hold_that_is_paid_and_not_confirmed: ConfirmedIsPaidOnce,
        "insert into payments (id, reservation_id, account_id, amount, status, created_at)
         select gen_random_uuid(), id, account_id, total, 'COMPLETED', created_at
         from reservations where status = 'HELD'";
    a_place_without_a_ticket: PaidHasTickets, "delete from tickets where code = 'ADA'";
    a_ticket_of_a_refunded_seat: PaidHasTickets, "update tickets set status = 'VALID'";
    a_used_ticket_of_what_its_owner_gave_back: PaidHasTickets,
        "update tickets set status = 'USED', used_at = now() where code = 'CAS'";
    a_valid_ticket_of_what_the_management_gave_back: PaidHasTickets,
        "update tickets set status = 'VALID' where code = 'CAS';
         insert into audit_log (id, account_id, act, subject_kind, subject_id)
         select gen_random_uuid(), account_id, 'refunded', 'reservation', id from reservations
         where status = 'REFUNDED'";
    a_ticket_of_somebody_else: PaidHasTickets,
        "update tickets set account_id = '00000000-0000-0000-0000-0000000000b1' where code = 'ADA';
         delete from ticket_hand_overs where status = 'PENDING'";
    points_taken_for_nothing: NoPaymentStandsAlone,
        "insert into point_transactions
            (id, wallet_id, wallet_version, kind, amount, balance_after, reference_id)
         select gen_random_uuid(), id, 4, 'PAYMENT', -5000, 70000, gen_random_uuid() from wallets where version = 3;
         insert into house_entries (wallet_id, wallet_version, amount)
         select id, 4, 5000 from wallets where version = 3;
         update wallets set version = 4, balance = 70000 where version = 3";
    a_ticket_to_nowhere: NoPaymentStandsAlone,
        "insert into tickets (id, reservation_item_id, number, item_quantity, account_id, code)
         values (gen_random_uuid(), gen_random_uuid(), 1, 1, '00000000-0000-0000-0000-0000000000a1', 'NONE')";
    an_answer_about_nothing: RequestKeysHold,
        "update idempotency_keys set outcome = jsonb_build_object('payment_id', gen_random_uuid())";
    an_answer_about_somebody_else: RequestKeysHold,
        "update idempotency_keys set outcome = '{\"reservation_id\": \"00000000-0000-0000-0000-0000000000b2\"}'";
    an_answer_about_no_transfer: RequestKeysHold,
        "update idempotency_keys set outcome = jsonb_build_object('transfer_id', gen_random_uuid())";
    an_answer_about_no_hand_over: RequestKeysHold,
        "update idempotency_keys set outcome = jsonb_build_object('hand_over_id', gen_random_uuid())";
    a_key_without_an_answer: RequestKeysHold, "update idempotency_keys set outcome = null";
    a_number_left_out: NumbersAreWhole, "update queue_numbers set next_number = 6";
    a_number_given_twice: NumbersAreWhole, "update queue_tokens set queue_number = 2 where queue_number = 1";
    more_inside_than_there_was_room_for: CapacityHolds,
        "update queue_tokens set inside_after = 3 where status = 'ACTIVE'";
    two_inside_at_once_where_one_may_be: CapacityHolds,
        "update queue_tokens set inside_after = 1, capacity_then = 1 where admitted_at is not null";
    ten_inside_where_five_may_be: CapacityHolds,
        "insert into accounts (id, email, name, password_hash)
         select gen_random_uuid(), 'inside-' || nth || '@example.com', 'inside', 'none'
         from generate_series(1, 10) nth;
         insert into queue_tokens (id, program_id, account_id, queue_number, status, admitted_at,
             stay_ends_at, expires_at, inside_after, capacity_then)
         select gen_random_uuid(), '00000000-0000-0000-0000-000000000001', id,
             (select max(queue_number) from queue_tokens) + row_number() over (), 'ACTIVE', now(), now() + interval '10 minutes',
             now() + interval '10 minutes', 1 + row_number() over () % 5, 5
         from accounts where name = 'inside';
         update queue_numbers set next_number = (select max(queue_number) + 1 from queue_tokens)";
}

#[sqlx::test]
async fn a_healthy_office_has_no_violation(db: PgPool) {
    assert_eq!(violations(&db).await, Vec::new());
    run(&db, HEALTHY.to_owned()).await;
    assert_eq!(violations(&db).await, Vec::new());
}

#[sqlx::test]
async fn what_is_late_is_a_violation_while_an_instance_is_up(db: PgPool) {
    run(&db, HEALTHY.to_owned()).await;
    let late = "
        update transfers set expires_at = now() - interval '61 seconds' where status = 'PENDING';
        update ticket_hand_overs set expires_at = now() - interval '61 seconds'
        where status = 'PENDING';
        update webhook_deliveries set delivered_at = null, expires_at = now() - interval '61 seconds';
        update reservations set created_at = created_at - interval '1 hour',
            expires_at = expires_at - interval '1 hour' where status = 'HELD';
        update queue_tokens set admitted_at = admitted_at - interval '1 hour' where status = 'ACTIVE'";
    run(&db, late.to_owned()).await;
    run(&db, shares::SHARED.to_owned()).await;
    run(&db, shares::LATE.to_owned()).await;
    assert_eq!(violations(&db).await, Vec::new(), "nobody is there to end it");

    let _instance = ours(&db).await;
    let found = verify_database(&pool(&db, 1)).await.unwrap();
    let invariants: Vec<Invariant> = found.iter().map(|found| found.invariant).collect();
    let late = [TransfersEnd, HoldEndIsFixed, TicketsFollowHandOvers, SharesAddUp, EventsInOrder];
    assert_eq!(invariants, late, "{found:#?}");
}

#[sqlx::test]
async fn a_transaction_left_open_is_a_violation(db: PgPool) {
    let mut instance = ours(&db).await;
    raw_sql("begin; select 1").execute(&mut instance).await.unwrap();
    assert_eq!(violations(&db).await, Vec::new(), "it may still go on");
    tokio::time::sleep(Duration::from_millis(5_100)).await;
    let found = violations(&db).await;
    assert_eq!(
        found.iter().map(|found| found.invariant).collect::<Vec<_>>(),
        [NoIdleTransaction],
        "{found:#?}"
    );
}

#[sqlx::test]
async fn a_flood_of_failures_is_cut_and_says_so(db: PgPool) {
    run(&db, HEALTHY.to_owned()).await;
    let flood = "
        insert into zones (id, schedule_id, name, price, capacity, remaining)
        select gen_random_uuid(), schedule_id, 'Zone ' || n, 0, 10, 9
        from zones cross join generate_series(1, 200) n";
    run(&db, flood.to_owned()).await;
    let found = violations(&db).await;
    assert_eq!(found.len(), FAILURES_MAX + 1);
    assert_eq!(found.last().unwrap().to_string(), "S5 more: only the first 50 are listed");
}

#[sqlx::test]
async fn a_lock_without_an_end_is_a_violation(db: PgPool) {
    let app = app(&db).await;
    let names = ["seat", "other"];
    let lease = Lease::take(&app.redis, &"verify", names, "ada", Duration::from_secs(5));
    let lease = lease.await.unwrap();
    assert_eq!(verify(&app.db, &app.redis).await.unwrap(), Vec::new());
    let key = app.redis.key("lease:{verify}:seat");
    let _: bool = app.redis.query(redis::cmd("PERSIST").arg(&key)).await.unwrap();
    let found = verify(&app.db, &app.redis).await.unwrap();
    assert_eq!(
        found.iter().map(|found| found.invariant).collect::<Vec<_>>(),
        [LocksEnd],
        "{found:#?}"
    );
    assert_eq!(found[0].subject, format!("lock {key}"));
    lease.release().await;
}

/// A connection that looks like an instance's.
async fn ours(db: &PgPool) -> PgConnection {
    let options = db.connect_options().as_ref().clone().application_name("stagedoor");
    PgConnection::connect_with(&options).await.unwrap()
}
