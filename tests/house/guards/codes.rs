//! What the database refuses of codes and discounts.

/// A code of the program without uses, and one that was withdrawn.
pub(super) const CODES: &str = "
    insert into sale_codes (id, program_id, word, percent, uses_max)
    values ('00000000-0000-0000-0000-0000000000c0', '00000000-0000-0000-0000-000000000001', 'SUMMER', 10, 1);
    insert into sale_codes (id, program_id, word, percent, withdrawn_at)
    values (gen_random_uuid(), '00000000-0000-0000-0000-000000000001', 'SUMMER', 20, now());
    insert into access_gates (id, program_id, opens_at, capacity)
    values ('00000000-0000-0000-0000-0000000000d1', '00000000-0000-0000-0000-000000000001', now(), 1)";

/// A constraint, a unique index or a trigger, and what it refuses.
pub(super) const REFUSED: &[(&str, &str)] = &[
    (
        "sale_codes_word_key",
        "insert into sale_codes (id, program_id, word, amount)
         values (gen_random_uuid(), '00000000-0000-0000-0000-000000000001', 'SUMMER', 1)",
    ),
    (
        "sale_codes_word_form",
        "insert into sale_codes (id, program_id, word, amount)
         values (gen_random_uuid(), '00000000-0000-0000-0000-000000000001', 'summer', 1)",
    ),
    (
        "sale_codes_percent_or_amount",
        "insert into sale_codes (id, program_id, word, percent, amount)
         values (gen_random_uuid(), '00000000-0000-0000-0000-000000000001', 'BOTH', 1, 1)",
    ),
    (
        "sale_codes_percent_range",
        "insert into sale_codes (id, program_id, word, percent)
         values (gen_random_uuid(), '00000000-0000-0000-0000-000000000001', 'MORE', 101)",
    ),
    (
        "sale_codes_amount_positive",
        "insert into sale_codes (id, program_id, word, amount)
         values (gen_random_uuid(), '00000000-0000-0000-0000-000000000001', 'DEARER', -1)",
    ),
    (
        "sale_codes_valid_in_order",
        "insert into sale_codes (id, program_id, word, amount, valid_from, valid_until)
         values (gen_random_uuid(), '00000000-0000-0000-0000-000000000001', 'NEVER', 1, now(), now())",
    ),
    ("sale_codes_uses_max_positive", "update sale_codes set uses_max = 0 where withdrawn_at is null"),
    (
        "sale_codes_uses_per_account_max_positive",
        "insert into sale_codes (id, program_id, word, amount, uses_per_account_max)
         values (gen_random_uuid(), '00000000-0000-0000-0000-000000000001', 'NONE', 1, 0)",
    ),
    ("sale_codes_uses_within_max", "update sale_codes set uses = 2 where withdrawn_at is null"),
    ("sale_codes_uses_within_max", "update sale_codes set uses = -1"),
    ("sale_codes_places_max_positive", "update sale_codes set places_max = 0, places = 0"),
    ("sale_codes_places_within_max", "update sale_codes set places_max = 1, places = 2"),
    ("sale_codes_places_within_max", "update sale_codes set places_max = 1, places = -1"),
    ("sale_codes_places_are_counted", "update sale_codes set places_max = 1"),
    ("sale_codes_places_are_counted", "update sale_codes set places = 1"),
    (
        "sale_codes_access_has_no_places",
        "insert into sale_codes (id, program_id, word, is_access, section, places_max, places)
         values (gen_random_uuid(), '00000000-0000-0000-0000-000000000001', 'MANY', true, 'Stalls', 1, 0)",
    ),
    (
        "sale_codes_section_length",
        "insert into sale_codes (id, program_id, word, amount, section)
         values (gen_random_uuid(), '00000000-0000-0000-0000-000000000001', 'NOWHERE', 1, '')",
    ),
    (
        "sale_codes_schedule_of_program",
        "insert into sale_codes (id, program_id, word, amount, schedule_id)
         values (gen_random_uuid(), '00000000-0000-0000-0000-000000000001', 'THEIRS', 1,
             '00000000-0000-0000-0000-000000000013')",
    ),
    (
        "sale_codes_access_opens_something",
        "insert into sale_codes (id, program_id, word, is_access)
         values (gen_random_uuid(), '00000000-0000-0000-0000-000000000001', 'NOWHERE', true)",
    ),
    (
        "sale_codes_gate_of_program",
        "insert into sale_codes (id, program_id, word, is_access, gate_id)
         values (gen_random_uuid(), '00000000-0000-0000-0000-000000000011', 'THEIRS', true,
             '00000000-0000-0000-0000-0000000000d1')",
    ),
    (
        "sale_codes_gate_of_access",
        "insert into sale_codes (id, program_id, word, percent, gate_id)
         values (gen_random_uuid(), '00000000-0000-0000-0000-000000000001', 'BOTH', 5,
             '00000000-0000-0000-0000-0000000000d1')",
    ),
    (
        "access_gates_capacity_positive",
        "insert into access_gates (id, program_id, opens_at, capacity)
         select gen_random_uuid(), program_id, opens_at, 0 from access_gates",
    ),
    (
        "queue_tokens_gate_of_program",
        "update queue_tokens set gate_id = gen_random_uuid()",
    ),
    ("queue_tokens_through_its_gate", "update queue_tokens set through_gate = true"),
    (
        "code_redemptions_pkey",
        "insert into code_redemptions (account_id, sale_code_id)
         select '00000000-0000-0000-0000-0000000000a1', '00000000-0000-0000-0000-0000000000c0'
         from generate_series(1, 2)",
    ),
    (
        "sale_code_zones_pkey",
        "insert into sale_code_zones (sale_code_id, schedule_id, zone_id)
         select '00000000-0000-0000-0000-0000000000c0', schedule_id, id from zones, generate_series(1, 2)",
    ),
    (
        "sale_code_zones_zone_of_schedule",
        "insert into sale_code_zones (sale_code_id, schedule_id, zone_id)
         values ('00000000-0000-0000-0000-0000000000c0', '00000000-0000-0000-0000-000000000003',
             '00000000-0000-0000-0000-000000000014')",
    ),
    ("schedule_seats_free_as_hidden", "update schedule_seats set status = 'HIDDEN'"),
    ("schedule_seats_free_as_hidden", "update schedule_seats set hidden_at = now()"),
    ("sale_codes_kept", "update sale_codes set percent = 50"),
    ("sale_codes_kept", "update sale_codes set withdrawn_at = null"),
    ("sale_codes_kept", "delete from sale_codes"),
    ("reservations_discount_not_negative", "update reservations set discount = -1"),
    ("reservations_discount_of_code", "update reservations set discount = 1"),
    (
        "reservations_of_sale_code",
        "update reservations set sale_code_id = gen_random_uuid() where status = 'HELD'",
    ),
];
