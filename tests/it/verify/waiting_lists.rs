//! Waiting lists and their offers, each broken once.

use sqlx::PgPool;
use stagedoor::verify::Invariant::WishesAreServedInOrder;

use super::breaks;

broken! {
    a_wish_that_nobody_counts: WishesAreServedInOrder, "update waiting_lists set waiting = 0";
    a_gap_in_the_numbers_of_a_list: WishesAreServedInOrder,
        "update waiting_lists set next_number = 5; update wishes set number = 4 where number = 3";
    an_offer_of_nothing: WishesAreServedInOrder,
        "update wishes set status = 'OFFERED', settled_at = now() where status = 'WAITING';
         update waiting_lists set waiting = 0";
    an_offer_to_whoever_left: WishesAreServedInOrder,
        "update wishes set status = 'LEFT' where status = 'OFFERED'";
    an_offer_of_less_than_was_wished_for: WishesAreServedInOrder,
        "update wishes set places = 2 where status = 'OFFERED'";
    an_offer_above_the_price: WishesAreServedInOrder,
        "update wishes set price_max = 49999 where status = 'OFFERED'";
    an_offer_of_another_area: WishesAreServedInOrder,
        "update wishes set section = 'Standing' where status = 'OFFERED'";
    an_offer_of_another_zone: WishesAreServedInOrder,
        "update reservation_items set schedule_seat_id = null,
             zone_id = '00000000-0000-0000-0000-000000000004'
         where id::text like '%c5';
         update wishes set section = 'Standing' where status = 'OFFERED'";
    a_wish_that_was_passed_over: WishesAreServedInOrder,
        "update wishes set number = 9 where status = 'OFFERED';
         update wishes set number = 2 where status = 'WAITING';
         update wishes set number = 3 where status = 'OFFERED'";
}
