//! What refuses wrong mails in the outbox.

/// A constraint or a unique index, and what it refuses.
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
];
