//! Tickets that were put back on sale, each broken once.

use sqlx::PgPool;
use stagedoor::verify::Invariant::{
    OrdersKeepTheirRules, RequestKeysHold, ReturnsAreSoldOnce, SeatsAgreeWithItems,
    ZonesAgreeWithItems,
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

broken_returns! {
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
