//! What the database refuses of price categories and of the prices that are saved for them.

/// A constraint, and what it refuses.
pub(super) const REFUSED: &[(&str, &str)] = &[
    ("seats_price_category_length", "update seats set price_category = ''"),
    ("seats_price_category_length", "update seats set price_category = repeat('R', 41)"),
    (
        "category_price_changes_pkey",
        "insert into category_price_changes (schedule_id, category, price, version)
         select id, 'R', nth, nth from schedules, generate_series(1, 2) nth",
    ),
    (
        "category_price_changes_schedule_id_fkey",
        "insert into category_price_changes (schedule_id, category, price, version)
         values (gen_random_uuid(), 'R', 5, 0)",
    ),
    (
        "category_price_changes_category_length",
        "insert into category_price_changes (schedule_id, category, price, version)
         select id, '', 5, 0 from schedules",
    ),
    (
        "category_price_changes_category_length",
        "insert into category_price_changes (schedule_id, category, price, version)
         select id, repeat('R', 41), 5, 0 from schedules",
    ),
    (
        "category_price_changes_price_not_negative",
        "insert into category_price_changes (schedule_id, category, price, version)
         select id, 'R', -1, 0 from schedules",
    ),
];
