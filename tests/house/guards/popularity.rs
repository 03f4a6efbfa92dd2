//! What refuses wrong daily sales and sell-outs.

/// A constraint or a unique index, and what it refuses.
pub(super) const REFUSED: &[(&str, &str)] = &[
    (
        "daily_sales_pkey",
        "insert into daily_sales
         select date '2030-01-01', id, program_id, 1, 1, 1
         from schedules cross join generate_series(1, 2)",
    ),
    (
        "daily_sales_schedule_of_program",
        "insert into daily_sales
         select date '2030-01-01', id, '00000000-0000-0000-0000-000000000011', 1, 1, 1
         from schedules where program_id <> '00000000-0000-0000-0000-000000000011'",
    ),
    (
        "daily_sales_progress_pkey",
        "insert into daily_sales_progress (counted_from, counted_until) values (now(), now())",
    ),
    ("daily_sales_progress_only_row", "update daily_sales_progress set only_row = false"),
    (
        "sell_outs_pkey",
        "insert into sell_outs
         select id, program_id, now(), now(), 0 from schedules cross join generate_series(1, 2)",
    ),
    (
        "sell_outs_schedule_of_program",
        "insert into sell_outs
         select id, '00000000-0000-0000-0000-000000000011', now(), now(), 0
         from schedules where program_id <> '00000000-0000-0000-0000-000000000011'",
    ),
    (
        "sell_outs_took_secs_not_negative",
        "insert into sell_outs select id, program_id, now(), now(), -1 from schedules",
    ),
];
