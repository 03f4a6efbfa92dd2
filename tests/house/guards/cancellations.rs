//! What the database refuses of cancelled programs and performances.

/// A constraint or a trigger, and what it refuses.
pub(super) const REFUSED: &[(&str, &str)] = &[
    ("programs_cancelled_has_its_time", "update programs set status = 'CANCELLED'"),
    ("programs_cancelled_has_its_time", "update programs set cancelled_at = now()"),
    ("programs_wound_down_was_cancelled", "update programs set wound_down_at = now()"),
    ("schedules_wound_down_was_cancelled", "update schedules set wound_down_at = now()"),
    (
        "schedules_cancelled_is_final",
        "update schedules set cancelled_at = now();
         update schedules set cancelled_at = null",
    ),
];
