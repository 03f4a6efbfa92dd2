//! Deleted accounts, each thing that could be left of one once.

use sqlx::PgPool;
use stagedoor::verify::Invariant::{DeletedIsGone, ForfeitsAreOfTheDeleted};

use super::{HEALTHY, UNGUARDED, breaks, run, violations};

/// Leaves something of a deleted account with `sql`, and asserts that only this is reported, in
/// `words`.
async fn is_left(db: PgPool, sql: &str, words: &str) {
    run(&db, HEALTHY.to_owned()).await;
    run(&db, format!("{UNGUARDED}; {sql}")).await;
    let found = violations(&db).await;
    assert_eq!(found.len(), 1, "{found:#?}");
    assert_eq!(found[0].invariant, DeletedIsGone, "{found:#?}");
    assert!(found[0].sentence.contains(words), "{found:#?}");
}

macro_rules! left {
    ($($name:ident: $words:expr, $sql:expr;)*) => {$(
        #[sqlx::test]
        async fn $name(db: PgPool) {
            is_left(db, $sql, $words).await;
        }
    )*};
}

left! {
    a_session_of_a_deleted_account: "has 1 sessions",
        "insert into sessions (token_hash, account_id, expires_at)
         values (sha256('a'), '00000000-0000-0000-0000-0000000000f1', now() + interval '1 day')";
    a_link_of_a_deleted_account: "has 1 links",
        "insert into account_tokens (token_hash, account_id, purpose, address, expires_at)
         values (sha256('a'), '00000000-0000-0000-0000-0000000000f1', 'RESET', 'dee@example.com', now())";
    a_log_in_of_a_deleted_account_that_waits: "has 1 links and log-ins",
        "insert into pending_log_ins (token_hash, account_id, password_hash, expires_at)
         values (sha256('a'), '00000000-0000-0000-0000-0000000000f1', 'none', now())";
    a_second_factor_of_a_deleted_account: "has a second factor",
        "insert into second_factors (account_id, sealed_secret, last_step)
         values ('00000000-0000-0000-0000-0000000000f1', decode(repeat('00', 48), 'hex'), 0)";
    a_name_for_receipts_of_a_deleted_account: "has a name for receipts",
        "insert into receipt_names (account_id, buyer) values ('00000000-0000-0000-0000-0000000000f1', 'Dee Ltd')";
    a_place_in_line_of_a_deleted_account: "has place 5 in the line",
        "insert into queue_tokens (id, program_id, account_id, queue_number)
         values (gen_random_uuid(), '00000000-0000-0000-0000-000000000001',
             '00000000-0000-0000-0000-0000000000f1', 5);
         update queue_numbers set next_number = 6";
    a_hold_of_a_deleted_account: "holds reservation",
        "insert into queue_tokens (id, program_id, account_id, queue_number, status, admitted_at,
             stay_ends_at, expires_at, ended_at)
         values (gen_random_uuid(), '00000000-0000-0000-0000-000000000001',
             '00000000-0000-0000-0000-0000000000f1', 5, 'CANCELLED', now() - interval '2 minutes',
             now(), now(), now());
         update queue_tokens set capacity_then = 5 where capacity_then is not null;
         update queue_numbers set next_number = 6;
         update reservations set account_id = '00000000-0000-0000-0000-0000000000f1'
         where status = 'HELD'";
    an_exchange_of_a_deleted_account: "which is open",
        "insert into exchanges (id, account_id, program_id, from_id, fee)
         select gen_random_uuid(), '00000000-0000-0000-0000-0000000000f1', program_id, id, 0
         from reservations where status = 'CONFIRMED' order by id limit 1;
         insert into exchanged_tickets (exchange_id, ticket_id)
         select x.id, t.id from exchanges x join reservation_items i on i.reservation_id = x.from_id
         join tickets t on t.reservation_item_id = i.id";
    a_transfer_to_a_deleted_account: "which waits",
        "update transfers set receiver_id = '00000000-0000-0000-0000-0000000000f1'
         where status = 'PENDING'";
    a_ticket_that_a_deleted_account_is_offered: "is offered a ticket",
        "update ticket_hand_overs set recipient_id = '00000000-0000-0000-0000-0000000000f1'
         where status = 'PENDING'";
    a_purchase_of_a_deleted_account_that_is_open: "may still pay charge",
        "insert into charges (id, account_id, request_key, points, amount_minor, currency, provider,
             pays, next_path, expires_at, check_at)
         values (gen_random_uuid(), '00000000-0000-0000-0000-0000000000f1', gen_random_uuid(), 5, 5,
             'KRW', 'STRIPE', false, '/wallet', now(), now())";
    points_of_a_deleted_account: "has a wallet of 5, closed",
        "insert into house_entries (wallet_id, wallet_version, amount)
         values ('00000000-0000-0000-0000-0000000000f6', 3, -5);
         insert into point_transactions
             (id, wallet_id, wallet_version, kind, amount, balance_after, reference_id)
         values (gen_random_uuid(), '00000000-0000-0000-0000-0000000000f6', 3, 'CHARGE', 5, 5,
             gen_random_uuid());
         update wallets set balance = 5, version = 3 where version = 2";
    an_open_wallet_of_a_deleted_account: "has a wallet of 0, open",
        "update wallets set closed_at = null where version = 2";
    a_deleted_account_without_a_wallet: "has no wallet",
        "insert into accounts (id, email, name, password_hash, deleted_at)
         values ('00000000-0000-0000-0000-0000000000f2',
             'deleted-00000000-0000-0000-0000-0000000000f2', 'Deleted account', '-', now())";
    an_address_of_a_deleted_account: "is still called dee@example.com",
        "update accounts set email = 'dee@example.com' where deleted_at is not null";
}

broken! {
    points_that_a_living_person_gave_up: ForfeitsAreOfTheDeleted,
        "insert into house_entries (wallet_id, wallet_version, amount)
         select id, 4, 5 from wallets where version = 3;
         insert into point_transactions
             (id, wallet_id, wallet_version, kind, amount, balance_after, reference_id)
         select gen_random_uuid(), id, 4, 'FORFEIT', -5, balance - 5, account_id
         from wallets where version = 3;
         update wallets set balance = balance - 5, version = 4 where version = 3";
    a_closed_wallet_that_nobody_gave_up: ForfeitsAreOfTheDeleted,
        "insert into audit_log (id, account_id, act, subject_kind, subject_id)
         values ('00000000-0000-0000-0000-0000000000f1', '00000000-0000-0000-0000-0000000000a1',
             'points-adjusted', 'account', '00000000-0000-0000-0000-0000000000f1');
         update point_transactions set kind = 'ADJUSTMENT' where kind = 'FORFEIT'";
    points_given_up_for_nothing: ForfeitsAreOfTheDeleted,
        "insert into house_entries (wallet_id, wallet_version, amount)
         values ('00000000-0000-0000-0000-0000000000f6', 3, 0);
         insert into point_transactions
             (id, wallet_id, wallet_version, kind, amount, balance_after, reference_id)
         values (gen_random_uuid(), '00000000-0000-0000-0000-0000000000f6', 3, 'FORFEIT', 0, 0,
             gen_random_uuid());
         update wallets set version = 3 where version = 2";
}

/// The ticket is not with whom it belongs either, which another rule tells.
#[sqlx::test]
async fn a_ticket_of_a_deleted_account_to_what_is_still_to_come(db: PgPool) {
    run(&db, HEALTHY.to_owned()).await;
    let sql = "update tickets set account_id = '00000000-0000-0000-0000-0000000000f1'
        where status = 'VALID'";
    run(&db, format!("{UNGUARDED}; {sql}")).await;
    let found = violations(&db).await;
    let is_told = |told: &stagedoor::verify::Violation| {
        told.invariant == DeletedIsGone && told.sentence.contains("has ticket")
    };
    assert!(found.iter().any(is_told), "{found:#?}");
    run(&db, "update schedules set starts_at = now() - interval '1 hour'".to_owned()).await;
    assert!(!violations(&db).await.iter().any(is_told), "what is over keeps its tickets");
}
