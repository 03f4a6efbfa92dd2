//! What the database refuses of waiting lists and their wishes.

/// A constraint, a unique index or a trigger, and what it refuses.
pub(super) const REFUSED: &[(&str, &str)] = &[
    ("waiting_lists_waiting_range", "update waiting_lists set waiting = -1"),
    ("wishes_schedule_id_number_key", "update wishes set number = 1 where status = 'WAITING'"),
    (
        "wishes_waiting_key",
        "insert into wishes (id, schedule_id, program_id, account_id, number, places, is_together)
         select gen_random_uuid(), schedule_id, program_id, account_id, 4, 1, false
         from wishes where status = 'WAITING'",
    ),
    (
        "wishes_end_once",
        "update wishes set status = 'WAITING', settled_at = null where status = 'LEFT'",
    ),
    (
        "wishes_settled_has_its_time",
        "update wishes set settled_at = now() where status = 'WAITING'",
    ),
    (
        "wishes_zone_of_schedule",
        "update wishes set section = 'Standing', zone_id = '00000000-0000-0000-0000-000000000014'
         where status = 'WAITING'",
    ),
    ("wishes_of_list", "delete from waiting_lists"),
    (
        "reservations_wish_id_key",
        "update reservations set wish_id = '00000000-0000-0000-0000-00000000000c'
         where id::text like '%c3'",
    ),
    (
        "reservations_of_wish",
        "update reservations set wish_id = '00000000-0000-0000-0000-00000000000a'
         where id::text like '%b2'",
    ),
];
