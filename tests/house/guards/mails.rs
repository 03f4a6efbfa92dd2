//! What refuses wrong mails in the outbox, and wrong letters of the office.

/// A constraint or a unique index, and what it refuses.
pub(super) const REFUSED: &[(&str, &str)] = &[
    (
        "office_letters_status_known",
        "insert into office_letters (id, program_id, schedule_ids, zone_ids, price_type_ids,
            is_for_absent, is_necessary, texts, status)
         select gen_random_uuid(), id, '{}', '{}', '{}', false, false, jsonb_build_object('en', 1), 'LOST'
         from programs limit 1",
    ),
    (
        "office_letters_planned_has_its_time",
        "insert into office_letters (id, program_id, schedule_ids, zone_ids, price_type_ids,
            is_for_absent, is_necessary, texts, status)
         select gen_random_uuid(), id, '{}', '{}', '{}', false, false, jsonb_build_object('en', 1), 'PLANNED'
         from programs limit 1",
    ),
    (
        "office_letters_settled_has_its_time",
        "insert into office_letters (id, program_id, schedule_ids, zone_ids, price_type_ids,
            is_for_absent, is_necessary, texts, status)
         select gen_random_uuid(), id, '{}', '{}', '{}', false, false, jsonb_build_object('en', 1), 'STOPPED'
         from programs limit 1",
    ),
    (
        "office_letters_have_words",
        "insert into office_letters (id, program_id, schedule_ids, zone_ids, price_type_ids,
            is_for_absent, is_necessary, texts)
         select gen_random_uuid(), id, '{}', '{}', '{}', false, false, '{}' from programs limit 1",
    ),
    (
        "office_letters_reminder_is_of_one_performance",
        "insert into office_letters (id, program_id, schedule_ids, zone_ids, price_type_ids,
            is_for_absent, is_necessary, texts, reminds_of)
         select gen_random_uuid(), program_id, array[id, id], '{}', '{}', false, false, '{}', starts_at
         from schedules limit 1",
    ),
    (
        "office_letters_reminders",
        "insert into office_letters (id, program_id, schedule_ids, zone_ids, price_type_ids,
            is_for_absent, is_necessary, texts, reminds_of)
         select gen_random_uuid(), program_id, array[id], '{}', '{}', false, false, '{}', starts_at
         from (select * from schedules limit 1) one, generate_series(1, 2)",
    ),
    ("outbox_sent_or_failed", "update outbox set failed_at = now(), last_error = 'no'"),
    ("outbox_ended_keeps_no_secret", "update outbox set secret = 'a token'"),
    ("outbox_failed_says_why", "update outbox set sent_at = null, failed_at = now()"),
    (
        "outbox_dedupe_key_key",
        "insert into outbox (id, kind, payload, recipient, locale, order_key, dedupe_key, expires_at)
         select gen_random_uuid(), kind, payload, recipient, locale, order_key, dedupe_key, now()
         from outbox",
    ),
];
