//! What the database refuses of shares and of the payments that they become.

/// A constraint, a unique index or a trigger, and what it refuses.
pub(super) const REFUSED: &[(&str, &str)] = &[
    (
        "shares_only_forward",
        "update shares set status = 'OPEN', payer_id = null, withheld_at = null
         where status = 'WITHHELD'",
    ),
    (
        "shares_only_forward",
        "update shares set payer_id = '00000000-0000-0000-0000-0000000000a1'
         where status = 'WITHHELD'",
    ),
    ("shares_only_forward", "update shares set amount = 1 where status = 'OPEN'"),
    ("shares_only_forward", "update shares set status = 'WITHHELD' where status = 'PAID'"),
    ("shares_withheld_has_payer", "update shares set status = 'WITHHELD' where status = 'OPEN'"),
    (
        "shares_settled_has_its_time",
        "update shares set status = 'TAKEN_BACK' where status = 'OPEN'",
    ),
    (
        "shares_link_or_payer",
        "insert into shares (id, reservation_id, amount)
         select gen_random_uuid(), reservation_id, 1 from shares where status = 'OPEN'",
    ),
    (
        "shares_code_hash_key",
        "insert into shares (id, reservation_id, amount, code_hash)
         select gen_random_uuid(), reservation_id, 1, code_hash from shares where status = 'OPEN'",
    ),
    (
        "share_places_live_key",
        "insert into share_places (share_id, reservation_item_id, number, item_quantity)
         select share_id, reservation_item_id, 2, item_quantity
         from share_places where share_id::text like '%97'",
    ),
    (
        "share_places_of_item",
        "update share_places set item_quantity = 3 where share_id::text like '%97'",
    ),
    (
        "share_places_number_within_item",
        "update share_places set number = 3 where share_id::text like '%97'",
    ),
    (
        "payments_live_key",
        "insert into payments (id, reservation_id, account_id, amount, status)
         select gen_random_uuid(), id, account_id, total, 'COMPLETED'
         from reservations where id::text like '%91'",
    ),
    ("payments_number_positive", "update payments set number = 0"),
];
