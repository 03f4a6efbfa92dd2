//! What the database itself refuses, whatever the code believes: docs/INVARIANTS.md says who
//! refuses what, and each line of it is tried here.

mod cancellations;
mod codes;
mod draws;
mod events;
mod exchanges;
mod hand_overs;
mod mails;
mod office;
mod payouts;
mod popularity;
mod price_categories;
mod price_types;
mod receipts;
mod returns;
mod shares;
mod transfers;
mod waiting_lists;

use std::collections::BTreeSet;

use sqlx::{AssertSqlSafe, PgPool, raw_sql};

use crate::support::{read_all, read_one_with};

/// The office that `verify` is tried on.
const HEALTHY: &str = include_str!("../verify/healthy.sql");
const SHARED: &str =
    concat!(include_str!("../verify/shared.sql"), include_str!("../verify/returned.sql"));
/// Another program with a performance, a seat and a zone.
const ANOTHER: &str = include_str!("another.sql");

/// A constraint or a unique index, and what it refuses.
const REFUSED: &[(&str, &str)] = &[
    (
        "reservations_schedule_of_program",
        "update reservations set program_id = '00000000-0000-0000-0000-000000000011'
         where status = 'HELD'",
    ),
    (
        "reservation_items_of_reservation",
        "update reservation_items set schedule_id = '00000000-0000-0000-0000-000000000013',
             zone_id = '00000000-0000-0000-0000-000000000014' where id::text like '%b3'",
    ),
    (
        "reservation_items_seat_of_schedule",
        "update reservation_items set schedule_seat_id = (
             select max(id) from schedule_seats
             where schedule_id = '00000000-0000-0000-0000-000000000013')
         where id::text like '%a3'",
    ),
    (
        "reservation_items_zone_of_schedule",
        "update reservation_items set zone_id = '00000000-0000-0000-0000-000000000014'
         where id::text like '%b3'",
    ),
    (
        "reservation_items_live_seat_key",
        "insert into reservation_items
             (id, reservation_id, schedule_id, schedule_seat_id, unit_price)
         select gen_random_uuid(), reservation_id, schedule_id, schedule_seat_id, 0
         from reservation_items where id::text like '%a3'",
    ),
    (
        "reservations_paid_has_its_time",
        "update reservations set status = 'CONFIRMED', settled_at = now()
         where status = 'HELD'",
    ),
    (
        "reservations_paid_has_its_time",
        "update reservations set confirmed_at = now()
         where status = 'HELD'",
    ),
    (
        "reservations_paid_before_its_end",
        "update reservations set confirmed_at = expires_at where status = 'CONFIRMED'",
    ),
    (
        "programs_refund_terms_whole",
        r#"update programs set refund_terms = '{"steps": [{"days": 2, "percent": 50, "fee": 0},
             {"days": 1, "percent": 51, "fee": 0}]}'"#,
    ),
    (
        "programs_refund_terms_whole",
        r#"update programs set refund_terms = '{"steps": [{"days": 2, "percent": 50, "fee": 1},
             {"days": 1, "percent": 50, "fee": 0}]}'"#,
    ),
    ("programs_refund_terms_whole", "update programs set refund_terms = '{}'"),
    (
        "programs_refund_terms_whole",
        r#"update programs set refund_terms = '{"steps": [], "free_within_hours": 24}'"#,
    ),
    (
        "programs_refund_terms_whole",
        r#"update programs set refund_terms = '{"steps": [{"days": 2, "at": "6 PM", "percent": 50, "fee": 1}]}'"#,
    ),
    (
        "programs_refund_terms_whole",
        r#"update programs set refund_terms = '{"steps": [{"days": "2", "percent": 50, "fee": 1}]}'"#,
    ),
    (
        "payments_live_key",
        "insert into payments (id, reservation_id, account_id, amount, status)
         select gen_random_uuid(), reservation_id, account_id, amount, 'COMPLETED'
         from payments where status = 'COMPLETED'",
    ),
    (
        "tickets_number_within_item",
        "insert into tickets (id, reservation_item_id, number, item_quantity, account_id, code)
         select gen_random_uuid(), reservation_item_id, 2, 1, account_id, 'SECOND'
         from tickets where code = 'ADA'",
    ),
    (
        "tickets_of_item",
        "insert into tickets (id, reservation_item_id, number, item_quantity, account_id, code)
         select gen_random_uuid(), reservation_item_id, 2, 2, account_id, 'SECOND'
         from tickets where code = 'ADA'",
    ),
    (
        "tickets_reservation_item_id_number_key",
        "insert into tickets (id, reservation_item_id, number, item_quantity, account_id, code)
         select gen_random_uuid(), reservation_item_id, 1, 1, account_id, 'SECOND'
         from tickets where code = 'ADA'",
    ),
    ("wallets_pending_within_balance", "update wallets set pending = balance + 1"),
    ("wallets_version_has_its_entry", "update wallets set version = version + 1"),
    (
        "wallets_version_has_its_entry",
        "insert into accounts (id, email, name, password_hash)
         values ('00000000-0000-0000-0000-0000000000e1', 'eve@example.com', 'eve', 'none');
         insert into wallets (id, account_id, balance, version)
         values (gen_random_uuid(), '00000000-0000-0000-0000-0000000000e1', 500, 1)",
    ),
    (
        "point_transactions_wallet_id_wallet_version_key",
        "insert into point_transactions
             (id, wallet_id, wallet_version, kind, amount, balance_after, reference_id)
         select gen_random_uuid(), id, 1, 'CHARGE', 1, 1, gen_random_uuid() from wallets limit 1",
    ),
    (
        "point_transactions_reference_key",
        "insert into point_transactions
             (id, wallet_id, wallet_version, kind, amount, balance_after, reference_id)
         select gen_random_uuid(), wallet_id, 99, kind, amount, 0, reference_id
         from point_transactions where kind = 'REFUND'",
    ),
    (
        "house_entries_of_an_entry",
        "insert into house_entries (wallet_id, wallet_version, amount)
         select id, 99, 5 from wallets limit 1",
    ),
    (
        "house_entries_pkey",
        "insert into house_entries (wallet_id, wallet_version, amount)
         select wallet_id, wallet_version, amount from house_entries limit 1",
    ),
    (
        "accounts_deleted_is_nobody",
        "update accounts set deleted_at = now() where id::text like '%a1'",
    ),
    ("accounts_deleted_is_final", "update accounts set name = 'dee' where id::text like '%f1'"),
    ("wallets_closed_is_empty", "update wallets set balance = 1 where id::text like '%f6'"),
    (
        "debt_write_offs_points_positive",
        "insert into debt_write_offs (id, wallet_id, points)
         select gen_random_uuid(), id, 0 from wallets limit 1",
    ),
    (
        "charges_unclaimed_reverses_nothing",
        "insert into charges (id, account_id, request_key, points, amount_minor, currency, provider,
             pays, next_path, expires_at, check_at, unclaimed_at)
         select gen_random_uuid(), account_id, gen_random_uuid(), 5, 5, 'KRW', 'STRIPE', false,
             '/wallet', now(), now(), now()
         from wallets limit 1",
    ),
    (
        "charges_are_for_one_thing",
        "insert into charges (id, account_id, request_key, points, amount_minor, currency, provider,
             pays, next_path, expires_at, check_at, reservation_id, share_id)
         select gen_random_uuid(), account_id, gen_random_uuid(), 5, 5, 'KRW', 'STRIPE', true,
             '/wallet', now(), now(), gen_random_uuid(), gen_random_uuid()
         from wallets limit 1",
    ),
    (
        "charges_pays_a_reservation_or_a_share",
        "insert into charges (id, account_id, request_key, points, amount_minor, currency, provider,
             pays, next_path, expires_at, check_at)
         select gen_random_uuid(), account_id, gen_random_uuid(), 5, 5, 'KRW', 'STRIPE', true,
             '/wallet', now(), now()
         from wallets limit 1",
    ),
    (
        "charge_reversals_forgone_within_points",
        "insert into charge_reversals (id, charge_id, cause, cause_ref, points, moved, forgone)
         values (gen_random_uuid(), gen_random_uuid(), 'DISPUTE_WON', 'dp', -5, -3, 3)",
    ),
    (
        "charge_reversals_sign",
        "insert into charge_reversals (id, charge_id, cause, cause_ref, points, moved)
         values (gen_random_uuid(), gen_random_uuid(), 'REFUND_FAILED', 're_1', 5, 3)",
    ),
    (
        "charge_reversals_amount_not_negative",
        "insert into charge_reversals
             (id, charge_id, cause, cause_ref, points, moved, amount_minor)
         values (gen_random_uuid(), gen_random_uuid(), 'REFUND', '5', 5, 3, -5)",
    ),
    ("zones_remaining_within_capacity", "update zones set remaining = -1"),
    (
        "queue_tokens_live_key",
        "update queue_tokens set status = 'WAITING', admitted_at = null
         where account_id::text like '%c1'",
    ),
    (
        "turn_notices_pkey",
        "insert into turn_notices (token_id, program_id, queue_number)
         select id, program_id, queue_number from queue_tokens, generate_series(1, 2)",
    ),
    ("queue_tokens_program_id_queue_number_key", "update queue_tokens set queue_number = 1"),
    (
        "schedule_seats_seat_id_schedule_id_key",
        "insert into schedule_seats (schedule_id, seat_id, price)
         select schedule_id, seat_id, 1 from schedule_seats limit 1",
    ),
];

/// Tables that are only appended to, and a trigger that sees to it.
const APPEND_ONLY: [(&str, &str); 10] = [
    ("point_transactions", "point_transactions_append_only"),
    ("house_entries", "house_entries_append_only"),
    ("transfer_status_history", "transfer_status_history_append_only"),
    ("audit_log", "audit_log_append_only"),
    ("debt_write_offs", "debt_write_offs_append_only"),
    ("ticket_holder_changes", "ticket_holder_changes_append_only"),
    ("access_gates", "access_gates_append_only"),
    ("sale_entries", "sale_entries_append_only"),
    ("sale_entry_lines", "sale_entry_lines_append_only"),
    ("receipts", "receipts_append_only"),
];

#[sqlx::test]
async fn the_database_refuses_what_must_never_be(db: PgPool) {
    for part in [HEALTHY, SHARED, ANOTHER, codes::CODES, price_types::MADE, receipts::MADE] {
        run(&db, part).await.unwrap();
    }
    let act = "insert into audit_log (id, account_id, act, subject_kind, subject_id)
        select gen_random_uuid(), id, 'let-in', 'account', id from accounts limit 1;
        insert into debt_write_offs (id, wallet_id, points)
        select gen_random_uuid(), id, 5 from wallets limit 1;
        insert into api_keys (id, name, token_hash, scopes, made_by)
        select gen_random_uuid(), 'A program', sha256('a'), '{programs:read}', id from accounts limit 1;
        insert into queue_draws (program_id, opens_at, nonce, commitment)
        select id, on_sale_at, sha256('a nonce'), sha256(sha256('a seed')) from programs
        where slug = 'another';
        alter table queue_tokens disable trigger queue_tokens_entry_kept";
    run(&db, act).await.unwrap();
    for (constraint, sql) in guards() {
        let refused = run(&db, sql).await.expect_err(sql);
        let refused = refused.into_database_error().unwrap();
        assert_eq!(refused.constraint(), Some(*constraint), "{sql}: {refused}");
    }
    let nameless = "insert into point_transactions
             (id, wallet_id, wallet_version, kind, amount, balance_after)
         select gen_random_uuid(), id, 99, 'CHARGE', 1, 1 from wallets limit 1";
    let refused = run(&db, nameless).await.unwrap_err().into_database_error().unwrap();
    assert_eq!(refused.code().as_deref(), Some("23502"), "an entry without its reference");
    for (table, _) in APPEND_ONLY {
        for sql in [
            format!("update {table} set {} = null", first_column(&db, table).await),
            format!("delete from {table}"),
            format!("truncate {table} cascade"),
        ] {
            let refused = run(&db, &sql).await.unwrap_err().into_database_error().unwrap();
            assert_eq!(refused.code().as_deref(), Some("23000"), "{sql}: {refused}");
        }
    }
}

/// The table of the manual names every guard that is tried here, and names nothing that is not
/// there.
#[sqlx::test]
async fn the_manual_says_who_refuses_what(db: PgPool) {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/INVARIANTS.md");
    let manual = std::fs::read_to_string(path).unwrap();
    let named: BTreeSet<&str> = manual
        .lines()
        .filter(|line| line.starts_with('|'))
        .flat_map(|line| line.split('`').skip(1).step_by(2))
        .collect();
    let there: Vec<String> = read_all(
        &db,
        "select conname::text from pg_constraint union select relname::text from pg_class
         where relkind = 'i' union select tgname::text from pg_trigger",
    )
    .await;
    for name in &named {
        assert!(there.iter().any(|guard| guard == name), "{name} is in the manual only");
    }
    let tried = guards().map(|(name, _)| *name);
    for name in tried.chain(APPEND_ONLY.map(|(_, trigger)| trigger)) {
        assert!(named.contains(name), "{name} is not in the manual");
    }
}

/// Every guard that is tried, with what it refuses.
fn guards() -> impl Iterator<Item = &'static (&'static str, &'static str)> {
    let of_rooms = [
        cancellations::REFUSED,
        codes::REFUSED,
        draws::REFUSED,
        events::REFUSED,
        exchanges::REFUSED,
        hand_overs::REFUSED,
        mails::REFUSED,
        price_categories::REFUSED,
        price_types::REFUSED,
        office::REFUSED,
        payouts::REFUSED,
        popularity::REFUSED,
        receipts::REFUSED,
        returns::REFUSED,
        shares::REFUSED,
        transfers::REFUSED,
        waiting_lists::REFUSED,
    ];
    [REFUSED].into_iter().chain(of_rooms).flatten()
}

async fn first_column(db: &PgPool, table: &str) -> String {
    let sought =
        "select attname::text from pg_attribute where attrelid = $1::regclass and attnum = 1";
    read_one_with(db, sought, table).await
}

async fn run(db: &PgPool, sql: &str) -> Result<(), sqlx::Error> {
    raw_sql(AssertSqlSafe(sql.to_owned())).execute(db).await.map(drop)
}
