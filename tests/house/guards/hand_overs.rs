//! What the database refuses of hand-overs and of the histories of tickets.

/// A constraint, a unique index or a trigger, and what it refuses.
pub(super) const REFUSED: &[(&str, &str)] = &[
    (
        "tickets_new_holder_has_new_code",
        "update tickets set account_id = '00000000-0000-0000-0000-0000000000b1' where code = 'ADA'",
    ),
    ("tickets_new_holder_has_new_code", "update tickets set code = 'NEW' where code = 'ADA'"),
    (
        "tickets_new_holder_has_new_code",
        "update tickets set account_id = '00000000-0000-0000-0000-0000000000b1', code = 'NEW'
         where status = 'VOID'",
    ),
    (
        "ticket_hand_overs_pending_key",
        "insert into ticket_hand_overs (id, ticket_id, sender_id, address, expires_at)
         select gen_random_uuid(), ticket_id, sender_id, 'eve@example.com', now()
         from ticket_hand_overs where status = 'PENDING'",
    ),
    (
        "ticket_hand_overs_end_once",
        "update ticket_hand_overs set status = 'ACCEPTED' where status = 'DECLINED'",
    ),
    (
        "ticket_hand_overs_settled_has_its_time",
        "update ticket_hand_overs set settled_at = now() where status = 'PENDING'",
    ),
    (
        "ticket_hand_overs_address_while_pending",
        "update ticket_hand_overs set address = null where status = 'PENDING'",
    ),
    (
        "ticket_hand_overs_answered_by_somebody",
        "update ticket_hand_overs
         set status = 'DECLINED', settled_at = now(), address = null, recipient_id = null
         where status = 'PENDING'",
    ),
    (
        "ticket_hand_overs_between_two_accounts",
        "update ticket_hand_overs set recipient_id = sender_id where status = 'PENDING'",
    ),
    (
        "ticket_holder_changes_ticket_id_number_key",
        "insert into ticket_holder_changes (hand_over_id, ticket_id, number, code_hash)
         select id, ticket_id, 2, sha256('another') from ticket_hand_overs
         where status = 'DECLINED'",
    ),
    (
        "ticket_holder_changes_code_hash_key",
        "insert into ticket_holder_changes (hand_over_id, ticket_id, number, code_hash)
         select id, ticket_id, 3, sha256('ADA-1') from ticket_hand_overs where status = 'DECLINED'",
    ),
];
