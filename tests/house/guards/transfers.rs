//! What refuses a transfer whose start makes no sense, and one without a receiver.

/// A constraint, and what it refuses.
pub(super) const REFUSED: &[(&str, &str)] = &[
    (
        "transfers_starts_ahead",
        "update transfers set starts_at = created_at where status = 'PENDING'",
    ),
    (
        "transfers_starts_ahead",
        "update transfers set starts_at = created_at + interval '91 days',
             expires_at = created_at + interval '94 days' where status = 'PENDING'",
    ),
    (
        "transfers_starts_ahead",
        "update transfers set starts_at = expires_at where status = 'PENDING'",
    ),
    (
        "transfers_pending_is_for_somebody",
        "update transfers set receiver_id = null, address = null where status = 'PENDING'",
    ),
    (
        "transfers_answered_by_somebody",
        "update transfers set receiver_id = null where status = 'ACCEPTED'",
    ),
    (
        "transfers_accepted_keeps_no_address",
        "update transfers set address = 'ada@example.com' where status = 'ACCEPTED'",
    ),
];
