//! Tickets that were put back on sale, each broken once.

use sqlx::PgPool;
use stagedoor::verify::Invariant::{
    OrdersKeepTheirRules, RefundsAsAgreed, RequestKeysHold, ReturnsAreSoldOnce,
    ReturnsKeepTheirPrice, SeatsAgreeWithItems, ZonesAgreeWithItems,
};

use super::{breaks_after, run, violations};

pub(super) const RETURNED: &str = include_str!("returned.sql");

macro_rules! broken_returns {
    ($($name:ident: $invariant:ident, $sql:expr;)*) => {$(
        #[sqlx::test]
        async fn $name(db: PgPool) {
            breaks_after(db, RETURNED, $invariant, $sql).await;
        }
    )*};
}

#[sqlx::test]
async fn an_office_where_tickets_are_sold_on_is_healthy(db: PgPool) {
    run(&db, super::HEALTHY.to_owned()).await;
    run(&db, RETURNED.to_owned()).await;
    assert_eq!(violations(&db).await, []);
}

/// Ada has bob's seat as a child, at four fifths of what he was paid for.
const CHEAPENED: &str = "
    insert into price_types (id, series_id, schedule_id, name, percent, created_at)
    values ('00000000-0000-0000-0000-000000000071', gen_random_uuid(),
        '00000000-0000-0000-0000-000000000003', 'Child', 80, now() - interval '2 hours');
    update reservation_items set price_type_id = '00000000-0000-0000-0000-000000000071',
        ordinary_price = unit_price, unit_price = 40000 where awaits_return;
    update reservations set total = 40000 where id::text like '%31'";

#[sqlx::test]
async fn what_an_older_version_sold_cheaper_is_not_held_against_it(db: PgPool) {
    for part in [super::HEALTHY, RETURNED, super::UNGUARDED, CHEAPENED] {
        run(&db, part.to_owned()).await;
    }
    assert_eq!(violations(&db).await, []);
    let newer = "update reservations set returns_at_price = true where buys_return";
    run(&db, newer.to_owned()).await;
    let found = violations(&db).await;
    assert!(
        found.len() == 1 && found.iter().all(|found| found.invariant == ReturnsKeepTheirPrice),
        "{found:#?}"
    );
}

/// Ada has the seat with a code, which takes something off it.
const DISCOUNTED: &str = "
    insert into sale_codes (id, program_id, word, amount, uses, created_at)
    values ('00000000-0000-0000-0000-0000000000c0', '00000000-0000-0000-0000-000000000001', 'GIFT', 10000,
        1, now() - interval '1 hour');
    update reservations set sale_code_id = '00000000-0000-0000-0000-0000000000c0', discount = 10000,
        total = 40000 where id::text like '%31'";

#[sqlx::test]
async fn a_code_that_an_older_version_took_off_a_return_is_not_held_against_it(db: PgPool) {
    for part in [super::HEALTHY, RETURNED, super::UNGUARDED, DISCOUNTED] {
        run(&db, part.to_owned()).await;
    }
    assert_eq!(violations(&db).await, []);
    let newer = "update reservations set returns_at_price = true where buys_return";
    run(&db, newer.to_owned()).await;
    let found = violations(&db).await;
    assert!(found.iter().any(|found| found.invariant == ReturnsKeepTheirPrice), "{found:#?}");
}

broken_returns! {
    a_buyer_who_pays_less_by_a_price_type: ReturnsKeepTheirPrice,
        "insert into price_types (id, series_id, schedule_id, name, percent, created_at)
         values ('00000000-0000-0000-0000-000000000071', gen_random_uuid(),
             '00000000-0000-0000-0000-000000000003', 'Child', 80, now() - interval '2 hours');
         update reservation_items set price_type_id = '00000000-0000-0000-0000-000000000071',
             ordinary_price = unit_price, unit_price = 40000 where awaits_return;
         update reservations set total = 40000, returns_at_price = true where id::text like '%31'";
    a_return_above_what_was_paid: ReturnsAreSoldOnce,
        "update ticket_returns set price = 60000, payout = 54000 where status = 'OPEN'";
    a_seat_that_is_sold_on_above_what_was_paid: ReturnsAreSoldOnce,
        "update schedule_seats set price = 60000 where return_id is not null";
    a_return_of_what_somebody_else_has_paid: ReturnsAreSoldOnce,
        "update ticket_returns set payment_id = '00000000-0000-0000-0000-0000000000a4'
         where status = 'OPEN'";
    a_return_of_a_ticket_that_is_offered: ReturnsAreSoldOnce,
        "insert into ticket_hand_overs (id, ticket_id, sender_id, address, expires_at)
         select gen_random_uuid(), ticket_id, seller_id, 'eve@example.com', now() + interval '1 day'
         from ticket_returns where status = 'OPEN'";
    a_sale_that_did_not_happen: ReturnsAreSoldOnce,
        "update ticket_returns set status = 'TAKEN_BACK' where status = 'SOLD'";
    a_place_that_the_house_took_back_and_a_buyer_has: ReturnsAreSoldOnce,
        "update reservations set refund_percent = 90
         where id = (select reservation_id from ticket_returns where status = 'SOLD');
         update ticket_returns set to_house = true where status = 'SOLD'";
    a_ticket_that_gave_back_more_than_was_agreed: RefundsAsAgreed,
        "update reservation_items set return_id = null where live and return_id is not null;
         update ticket_returns set to_house = true where status = 'SOLD'";
    a_seller_who_was_paid_for_nothing: ReturnsAreSoldOnce,
        "update point_transactions set reference_id = gen_random_uuid() where kind = 'RESALE'";
    a_place_that_nobody_returned: ReturnsAreSoldOnce,
        "update ticket_returns set reservation_item_id = '00000000-0000-0000-0000-000000000022'
         where status = 'SOLD'";
    a_return_that_is_wanted_back_and_waits_for_nobody: ReturnsAreSoldOnce,
        "update ticket_returns set wanted_back_at = now() where status = 'OPEN';
         update reservation_items set live = false, awaits_return = false where awaits_return;
         update reservations set status = 'EXPIRED', settled_at = now() where buys_return and status = 'HELD';
         update schedule_seats set status = 'AVAILABLE' where return_id is not null";
    an_order_that_lost_places_of_its_least_number: OrdersKeepTheirRules,
        "update reservations set places_min = 2 where id::text like '%21'";
    a_seat_on_return_that_is_held_and_shows_free: SeatsAgreeWithItems,
        "update schedule_seats set status = 'AVAILABLE' where return_id is not null";
    a_buyer_who_awaits_nothing: SeatsAgreeWithItems,
        "update reservation_items set awaits_return = false where awaits_return";
    a_place_that_is_counted_for_its_seller_and_its_buyer: ReturnsAreSoldOnce,
        "create or replace view sold_now as
         select i.id as item_id, i.reservation_id, r.program_id, i.schedule_id, i.schedule_seat_id,
             i.zone_id, i.price_type_id, i.quantity as places, i.quantity * i.unit_price as points
         from reservation_items i join reservations r on r.id = i.reservation_id
         where r.status = 'CONFIRMED'";
    a_place_on_return_that_nobody_returned: ZonesAgreeWithItems,
        "update zones set returned = 1";
    an_answer_about_a_return_that_does_not_exist: RequestKeysHold,
        "insert into idempotency_keys (account_id, key, fingerprint, outcome)
         select id, gen_random_uuid(), '', jsonb_build_object('return_id', gen_random_uuid())
         from accounts where name = 'ada'";
}
