//! What the database refuses of opening draws and their entries.

/// A constraint, a unique index or a trigger, and what it refuses.
pub(super) const REFUSED: &[(&str, &str)] = &[
    (
        "queue_draws_opens_with_sale",
        "update programs set on_sale_at = on_sale_at - interval '1 hour'",
    ),
    ("queue_draws_kept", "update queue_draws set commitment = nonce"),
    (
        "queue_draws_kept",
        "update queue_draws set closed_at = now(), entries = 0, head = sha256('');
         update queue_draws set head = nonce",
    ),
    (
        "queue_draws_closed_after_opening",
        "update queue_draws
         set closed_at = opens_at - interval '1 second', entries = 0, head = sha256('')",
    ),
    (
        "queue_draws_revealed_after_close",
        "update queue_draws set revealed_at = now(), seed = sha256('a seed')",
    ),
    (
        "queue_draws_seed_is_committed",
        "update queue_draws set closed_at = now(), entries = 0, head = sha256(''),
             revealed_at = now(), seed = sha256('a better seed')",
    ),
    (
        "queue_draws_numbered_after_reveal",
        "update queue_draws
         set closed_at = now(), entries = 1, head = sha256(''), numbered = 1",
    ),
    (
        "queue_draw_entries_account_id_program_id_key",
        "insert into queue_draw_entries (id, program_id, account_id, commitment)
         select gen_random_uuid(), program_id, (select min(id::text)::uuid from accounts),
             sha256(i::text::bytea)
         from queue_draws, generate_series(1, 2) i",
    ),
    (
        "queue_draw_entries_open",
        "update queue_draws set closed_at = now(), entries = 0, head = sha256('');
         insert into queue_draw_entries (id, program_id, account_id, commitment)
         select gen_random_uuid(), program_id, (select min(id::text)::uuid from accounts),
             sha256('late')
         from queue_draws",
    ),
];
