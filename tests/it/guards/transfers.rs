//! What refuses a transfer whose start makes no sense.

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
];
