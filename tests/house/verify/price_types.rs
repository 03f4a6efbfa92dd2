//! Prices and limits of price types, each broken once.

use sqlx::PgPool;
use stagedoor::verify::Invariant::PriceTypesAreKept;

use super::breaks_after;

/// Bob's two places are at half their price.
const TYPED: &str = "
    insert into price_types (id, series_id, schedule_id, name, percent, created_at)
    values ('00000000-0000-0000-0000-000000000071', gen_random_uuid(),
        '00000000-0000-0000-0000-000000000003', 'Child', 50, now() - interval '2 hours');
    update reservation_items set price_type_id = '00000000-0000-0000-0000-000000000071',
        ordinary_price = 60000 where id::text like '%b3'";

macro_rules! broken_types {
    ($($name:ident: $sql:expr;)*) => {$(
        #[sqlx::test]
        async fn $name(db: PgPool) {
            breaks_after(db, TYPED, PriceTypesAreKept, $sql).await;
        }
    )*};
}

broken_types! {
    a_place_that_costs_more_than_its_type: "update reservation_items set ordinary_price = 59998 where id::text like '%b3'";
    a_place_that_costs_less_than_its_type: "update reservation_items set ordinary_price = 70000 where id::text like '%b3'";
    a_free_place_that_was_charged: "update price_types set percent = 0";
    a_fixed_price_that_was_not_charged: "update price_types set percent = null, price = 29999";
    a_place_on_terms_that_were_withdrawn_before:
        "update price_types set withdrawn_at = now() - interval '1 hour'";
    a_place_on_terms_that_were_made_later: "update price_types set created_at = now() + interval '1 hour'";
    an_offer_at_another_price_than_the_ordinary:
        "update reservation_items set price_type_id = '00000000-0000-0000-0000-000000000071',
             ordinary_price = 100000 where id::text like '%c5'";
    more_places_of_a_type_than_an_order_may_have: "update price_types set per_order_max = 1";
    children_alone: "update price_types set beside = 'ORDINARY'";
    a_companion_without_a_wheelchair:
        "update price_types set beside = 'WHEELCHAIR', per_beside_max = 2";
    a_seat_of_another_kind: "update price_types set kinds = '{COMPANION}'";
}
