//! What the database refuses of mails, events, endpoints, deliveries and API keys.

/// A constraint, a unique index or a trigger, and what it refuses.
pub(super) const REFUSED: &[(&str, &str)] = &[
    ("outbox_sent_or_failed", "update outbox set failed_at = now(), last_error = 'no'"),
    ("outbox_ended_keeps_no_secret", "update outbox set secret = 'a token'"),
    ("outbox_failed_says_why", "update outbox set sent_at = null, failed_at = now()"),
    (
        "outbox_dedupe_key_key",
        "insert into outbox (id, kind, payload, recipient, locale, order_key, dedupe_key, expires_at)
         select gen_random_uuid(), kind, payload, recipient, locale, order_key, dedupe_key, now()
         from outbox",
    ),
    ("domain_events_never_change", "update domain_events set kind = 'reservation.expired'"),
    (
        "domain_events_position_key",
        "insert into domain_events (id, position, subject_id, kind, payload)
         overriding system value
         select gen_random_uuid(), position, subject_id, kind, payload from domain_events",
    ),
    (
        "domain_events_kind_form",
        "insert into domain_events (id, subject_id, kind, payload)
         select gen_random_uuid(), gen_random_uuid(), 'Something', '{}'",
    ),
    (
        "domain_events_payload_object",
        "insert into domain_events (id, subject_id, kind, payload)
         select gen_random_uuid(), gen_random_uuid(), 'ticket.checked_in', '[]'",
    ),
    (
        "webhook_endpoints_url_form",
        "update webhook_endpoints set url = 'ftp://hooks.example/'",
    ),
    ("webhook_endpoints_description_length", "update webhook_endpoints set description = ''"),
    ("webhook_endpoints_kinds_number", "update webhook_endpoints set kinds = '{}'"),
    (
        "webhook_endpoints_sealed_secret_length",
        "update webhook_endpoints set sealed_secret = 'in the clear'",
    ),
    (
        "webhook_endpoints_sealed_old_secret_length",
        "update webhook_endpoints
         set sealed_old_secret = 'in the clear', old_secret_until = now()",
    ),
    ("webhook_endpoints_old_secret_ends", "update webhook_endpoints set old_secret_until = now()"),
    ("webhook_endpoints_deleted_keeps_no_secret", "update webhook_endpoints set deleted_at = now()"),
    (
        "webhook_deliveries_pkey",
        "insert into webhook_deliveries (endpoint_id, event_id, subject_id, position)
         select endpoint_id, event_id, subject_id, position from webhook_deliveries",
    ),
    (
        "webhook_deliveries_of_endpoint",
        "insert into webhook_deliveries (endpoint_id, event_id, subject_id, position)
         select gen_random_uuid(), event_id, subject_id, position from webhook_deliveries",
    ),
    (
        "webhook_deliveries_of_event",
        "insert into webhook_deliveries (endpoint_id, event_id, subject_id, position)
         select endpoint_id, gen_random_uuid(), subject_id, position from webhook_deliveries",
    ),
    (
        "webhook_deliveries_delivered_or_failed",
        "update webhook_deliveries set failed_at = now(), last_error = 'no'",
    ),
    (
        "webhook_deliveries_failed_says_why",
        "update webhook_deliveries set delivered_at = null, failed_at = now()",
    ),
    ("webhook_deliveries_counts_not_negative", "update webhook_deliveries set attempts = -1"),
    (
        "api_keys_token_hash_key",
        "insert into api_keys (id, name, token_hash, scopes, made_by)
         select gen_random_uuid(), name, token_hash, scopes, made_by from api_keys",
    ),
    ("api_keys_token_hash_length", "update api_keys set token_hash = 'in the clear'"),
    ("api_keys_name_length", "update api_keys set name = ''"),
    ("api_keys_scopes_known", "update api_keys set scopes = '{everything}'"),
    ("api_keys_scopes_known", "update api_keys set scopes = '{}'"),
    ("api_keys_end_after_begin", "update api_keys set expires_at = created_at"),
    (
        "audit_log_of_api_key",
        "insert into audit_log (id, account_id, act, subject_kind, subject_id, api_key_id)
         select gen_random_uuid(), id, 'program-created', 'program', id::text, gen_random_uuid()
         from accounts limit 1",
    ),
];
