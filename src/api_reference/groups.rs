//! The groups of the API reference.

/// Groups in the order of the reference, each with a sentence about it.
pub(super) const GROUPS: &[(&str, &str)] = &[
    ("shows", "What is on sale, and when."),
    ("queue", "The queue of a show: to join, to wait, to be admitted, and what proves its order."),
    ("seats", "The seat map of a performance, and holds of its seats and places."),
    ("reservations", "Reservations: to pay, to share, to renew, to cancel."),
    ("tickets", "Tickets: their files, to hand over, to put back on sale."),
    ("wallet", "Points: to buy, to send, to read the statement."),
    ("account", "To sign up, to log in, and everything about one's own account."),
    ("door", "To let people in."),
    (
        "programs",
        "Administration of shows, performances, venues and queues, for people and for programs.",
    ),
    ("people", "Administration of accounts and reservations."),
    ("records", "Figures, mails and the log of what administrators did."),
    ("integrations", "Webhooks and keys for programs."),
    ("service", "The service itself: its state, files, and this reference."),
];
