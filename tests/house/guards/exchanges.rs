//! What the database refuses of exchanges.

/// A constraint or a unique index, and what it refuses.
pub(super) const REFUSED: &[(&str, &str)] = &[
    (
        "exchanges_fee_range",
        "insert into exchanges (id, account_id, program_id, from_id, fee)
         select gen_random_uuid(), account_id, program_id, id, -1 from reservations where status = 'CONFIRMED'",
    ),
    (
        "exchanges_status_known",
        "insert into exchanges (id, account_id, program_id, from_id, fee, status, settled_at)
         select gen_random_uuid(), account_id, program_id, id, 0, 'LATE', now()
         from reservations where status = 'CONFIRMED'",
    ),
    (
        "exchanges_done_has_its_order",
        "insert into exchanges (id, account_id, program_id, from_id, fee, status, settled_at)
         select gen_random_uuid(), account_id, program_id, id, 0, 'DONE', now()
         from reservations where status = 'CONFIRMED'",
    ),
    (
        "exchanges_settled_has_its_time",
        "insert into exchanges (id, account_id, program_id, from_id, fee, status)
         select gen_random_uuid(), account_id, program_id, id, 0, 'ENDED'
         from reservations where status = 'CONFIRMED'",
    ),
    (
        "exchanges_open_key",
        "insert into exchanges (id, account_id, program_id, from_id, fee)
         select gen_random_uuid(), account_id, program_id, id, 0
         from reservations, generate_series(1, 2) where status = 'CONFIRMED'",
    ),
    (
        "exchanges_to_id_key",
        "insert into exchanges (id, account_id, program_id, from_id, to_id, fee, status, settled_at)
         select gen_random_uuid(), account_id, program_id, id, id, 0, 'DONE', now()
         from reservations, generate_series(1, 2) where status = 'CONFIRMED'",
    ),
    (
        "exchanged_tickets_pkey",
        "insert into exchanged_tickets (exchange_id, ticket_id)
         select '00000000-0000-0000-0000-000000000001', id from tickets, generate_series(1, 2)",
    ),
    (
        "ticket_returns_exchange_is_to_house",
        "insert into ticket_returns select (jsonb_populate_record(null::ticket_returns,
             to_jsonb(r) || jsonb_build_object('id', gen_random_uuid(), 'status', 'VOIDED',
                 'exchange_id', gen_random_uuid()))).*
         from ticket_returns r where status = 'SOLD'",
    ),
    ("programs_exchange_fee_range", "update programs set exchange_fee = -1"),
    ("programs_exchange_until_hours_range", "update programs set exchange_until_hours = 8761"),
];
