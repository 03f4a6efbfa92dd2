//! What the database refuses of price types and of the items that have one.

/// A type of the performance of `healthy.sql`, whose second terms are the current ones, and one of another
/// performance. Bob's places are at the price of the first.
pub(super) const MADE: &str = "
    insert into price_types (id, series_id, schedule_id, name, percent, price, withdrawn_at)
    values
        ('00000000-0000-0000-0000-000000000071', '00000000-0000-0000-0000-000000000070',
            '00000000-0000-0000-0000-000000000003', 'Child', 50, null, now()),
        ('00000000-0000-0000-0000-000000000072', '00000000-0000-0000-0000-000000000070',
            '00000000-0000-0000-0000-000000000003', 'Child', 60, null, null),
        ('00000000-0000-0000-0000-000000000073', '00000000-0000-0000-0000-000000000079',
            '00000000-0000-0000-0000-000000000013', 'Child', null, 5, null);
    update reservation_items set price_type_id = '00000000-0000-0000-0000-000000000071',
        ordinary_price = 60000 where id::text like '%b3'";

/// A constraint, a unique index or a trigger, and what it refuses.
pub(super) const REFUSED: &[(&str, &str)] = &[
    ("price_types_never_change", "update price_types set percent = 40 where percent = 60"),
    ("price_types_never_change", "update price_types set withdrawn_at = null where percent = 50"),
    ("price_types_never_change", "update price_types set withdrawn_at = now() where percent = 50"),
    (
        "price_type_zones_pkey",
        "insert into price_type_zones (price_type_id, schedule_id, name, zone_id)
         select '00000000-0000-0000-0000-000000000072', schedule_id, name, id
         from zones, generate_series(1, 2)
         where schedule_id = '00000000-0000-0000-0000-000000000003'",
    ),
    (
        "price_types_current_key",
        "insert into price_types (id, series_id, schedule_id, name, percent)
         select gen_random_uuid(), series_id, schedule_id, 'Kid', 60 from price_types where percent = 60",
    ),
    (
        "price_types_current_name_key",
        "insert into price_types (id, series_id, schedule_id, name, percent)
         select gen_random_uuid(), gen_random_uuid(), schedule_id, name, 60
         from price_types where percent = 60",
    ),
    (
        "price_types_one_cost",
        "insert into price_types (id, series_id, schedule_id, name, percent, price)
         select gen_random_uuid(), gen_random_uuid(), schedule_id, 'Kid', 60, 5
         from price_types where percent = 60",
    ),
    (
        "price_types_price_positive",
        "insert into price_types (id, series_id, schedule_id, name, price)
         select gen_random_uuid(), gen_random_uuid(), schedule_id, 'Kid', 0
         from price_types where percent = 60",
    ),
    (
        "price_types_percent_range",
        "insert into price_types (id, series_id, schedule_id, name, percent)
         select gen_random_uuid(), gen_random_uuid(), schedule_id, 'Kid', 101
         from price_types where percent = 60",
    ),
    (
        "price_types_per_beside_max_range",
        "insert into price_types (id, series_id, schedule_id, name, percent, per_beside_max)
         select gen_random_uuid(), gen_random_uuid(), schedule_id, 'Kid', 10, 1
         from price_types where percent = 60",
    ),
    (
        "price_types_kinds_known",
        "insert into price_types (id, series_id, schedule_id, name, percent, kinds)
         select gen_random_uuid(), gen_random_uuid(), schedule_id, 'Kid', 10, '{THRONE}'
         from price_types where percent = 60",
    ),
    (
        "reservation_items_price_type_of_schedule",
        "update reservation_items set price_type_id = '00000000-0000-0000-0000-000000000073'
         where id::text like '%b3'",
    ),
    (
        "reservation_items_typed_has_ordinary_price",
        "update reservation_items set ordinary_price = null where id::text like '%b3'",
    ),
    (
        "reservation_items_type_is_not_dearer",
        "update reservation_items set ordinary_price = 29999 where id::text like '%b3'",
    ),
];
