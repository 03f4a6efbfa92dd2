//! What the database refuses of returns, and of the seats and items that they sell.

/// A constraint, a unique index or a trigger, and what it refuses.
pub(super) const REFUSED: &[(&str, &str)] = &[
    (
        "ticket_returns_live_key",
        "insert into ticket_returns select (jsonb_populate_record(null::ticket_returns,
             to_jsonb(r) || jsonb_build_object('id', gen_random_uuid(), 'status', 'OPEN',
                 'settled_at', null))).*
         from ticket_returns r where status = 'SOLD'",
    ),
    (
        "ticket_returns_open_seat_key",
        "insert into ticket_returns select (jsonb_populate_record(null::ticket_returns,
             to_jsonb(r) || jsonb_build_object('id', gen_random_uuid(),
                 'ticket_id', '00000000-0000-0000-0000-0000000000a5'))).*
         from ticket_returns r where status = 'OPEN'",
    ),
    (
        "ticket_returns_payout_is_price_less_fee",
        "insert into ticket_returns select (jsonb_populate_record(null::ticket_returns,
             to_jsonb(r) || jsonb_build_object('id', gen_random_uuid(), 'payout', 2701,
                 'status', 'VOIDED'))).*
         from ticket_returns r where status = 'SOLD'",
    ),
    (
        "ticket_returns_seat_or_zone",
        "insert into ticket_returns select (jsonb_populate_record(null::ticket_returns,
             to_jsonb(r) || jsonb_build_object('id', gen_random_uuid(), 'zone_id', null,
                 'status', 'VOIDED'))).*
         from ticket_returns r where status = 'SOLD'",
    ),
    (
        "ticket_returns_settled_has_its_time",
        "update ticket_returns set status = 'TAKEN_BACK' where status = 'OPEN'",
    ),
    (
        "ticket_returns_end_once",
        "update ticket_returns set status = 'OPEN', settled_at = null where status = 'SOLD'",
    ),
    ("ticket_returns_end_once", "update ticket_returns set price = 1 where status = 'OPEN'"),
    (
        "ticket_returns_end_once",
        "update ticket_returns set wanted_back_at = now() where status = 'SOLD'",
    ),
    ("reservations_places_min_positive", "update reservations set places_min = 0"),
    (
        "reservation_items_return_key",
        "update reservation_items set return_id = '00000000-0000-0000-0000-000000000027'
         where id::text like '%34'",
    ),
    (
        "reservation_items_awaits_its_return",
        "update reservation_items set live = true where awaits_return",
    ),
    (
        "reservation_items_awaits_its_return",
        "update reservation_items set awaits_return = true where id::text like '%c5'",
    ),
    (
        "reservation_items_return_is_of_one",
        "update reservation_items set return_id = '00000000-0000-0000-0000-000000000028'
         where id::text like '%b3'",
    ),
    (
        "reservation_items_returned_within_quantity",
        "update reservation_items set returned = 2 where id::text like '%23'",
    ),
    (
        "reservation_items_returned_is_not_live",
        "update reservation_items set live = true where id::text like '%23'",
    ),
    (
        "schedule_seats_return_is_for_sale",
        "update schedule_seats set status = 'RESERVED' where return_id is not null",
    ),
    (
        "schedule_seats_return_has_price_after",
        "update schedule_seats set price_after = null where return_id is not null",
    ),
    (
        "schedule_seats_return_key",
        "update schedule_seats
         set return_id = '00000000-0000-0000-0000-000000000027', price_after = 1
         where id = (select min(id) from schedule_seats where status = 'AVAILABLE')",
    ),
    ("zones_returned_within_remaining", "update zones set returned = remaining + 1"),
    ("programs_return_fee_percent_range", "update programs set return_fee_percent = 101"),
];
