//! What refuses wrong sale entries and receipts.

/// A sale entry of a payment, with a line and its receipt.
pub(super) const MADE: &str = "
    insert into sale_entries (id, kind, reference_id, payment_id, reservation_id, schedule_id, program_id, title,
        starts_at, time_zone, channel, at, points, currency, point_minor, tax_rate_bp)
    select '00000000-0000-0000-0000-0000000005a1', 'PAYMENT', payments.id, payments.id, r.id, r.schedule_id,
        r.program_id, 'A show', now(), 'UTC', 'ONLINE', now(), amount, 'KRW', 1, 1000
    from payments join reservations r on r.id = reservation_id limit 1;
    insert into sale_entry_lines (entry_id, number, item_id, section, places, price)
    values ('00000000-0000-0000-0000-0000000005a1', 1, gen_random_uuid(), 'Stalls', 1, 5);
    insert into receipts (number, entry_id, edition, account_id, seller, seller_address, tax_number)
    select 1, '00000000-0000-0000-0000-0000000005a1', 1, id, 'Globe', '', '' from accounts limit 1;
    create function another_entry(changes jsonb) returns void language sql as $$
        insert into sale_entries
        select (jsonb_populate_record(e, jsonb_build_object(
            'id', gen_random_uuid(), 'reference_id', gen_random_uuid()) || changes)).*
        from sale_entries e limit 1
    $$;
    create function another_receipt(changes jsonb) returns void language sql as $$
        insert into receipts
        select (jsonb_populate_record(r, jsonb_build_object('number', 2, 'edition', 2) || changes)).*
        from receipts r limit 1
    $$";

/// A constraint or a unique index, and what it refuses.
pub(super) const REFUSED: &[(&str, &str)] = &[
    ("office_settings_seller_length", "update office_settings set seller = repeat('a', 201)"),
    ("office_settings_tax_rate_range", "update office_settings set tax_rate_bp = 10001"),
    (
        "sale_entries_reference_key",
        "insert into sale_entries select (jsonb_populate_record(e, jsonb_build_object('id', gen_random_uuid()))).*
         from sale_entries e",
    ),
    (
        "sale_entries_schedule_of_program",
        r#"select another_entry('{"program_id": "00000000-0000-0000-0000-000000000011"}')"#,
    ),
    ("sale_entries_kind_known", r#"select another_entry('{"kind": "GIFT", "points": 0}')"#),
    ("sale_entries_channel_known", r#"select another_entry('{"channel": "BOX"}')"#),
    ("sale_entries_sign", r#"select another_entry('{"points": -1}')"#),
    ("sale_entries_sign", r#"select another_entry('{"kind": "REFUND", "points": 1}')"#),
    ("sale_entries_currency_code", r#"select another_entry('{"currency": "won"}')"#),
    ("sale_entries_money_has_its_price", r#"select another_entry('{"point_minor": null}')"#),
    ("sale_entries_tax_rate_range", r#"select another_entry('{"tax_rate_bp": -1}')"#),
    (
        "sale_entries_tax_is_of_money",
        r#"select another_entry('{"currency": null, "point_minor": null}')"#,
    ),
    (
        "sale_entry_lines_pkey",
        "insert into sale_entry_lines select * from sale_entry_lines",
    ),
    (
        "sale_entry_lines_number_positive",
        "insert into sale_entry_lines (entry_id, number, item_id, section, places, price)
         select entry_id, 0, item_id, section, places, price from sale_entry_lines",
    ),
    (
        "receipt_names_buyer_length",
        "insert into receipt_names (account_id, buyer) select id, repeat('a', 201) from accounts limit 1",
    ),
    ("receipts_pkey", r#"select another_receipt('{"number": 1}')"#),
    ("receipts_number_positive", r#"select another_receipt('{"number": 0}')"#),
    ("receipts_entry_id_edition_key", r#"select another_receipt('{"edition": 1}')"#),
    ("receipts_edition_range", r#"select another_receipt('{"edition": 11}')"#),
    (
        "receipts_buyer_length",
        "select another_receipt(jsonb_build_object('buyer', repeat('a', 201)))",
    ),
    ("receipt_progress_only_row", "update receipt_progress set only_row = false"),
    (
        "receipt_progress_next_number_positive",
        "update receipt_progress set next_number = 0",
    ),
];
