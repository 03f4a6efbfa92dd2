//! COPY statements of the large office, and the settings for them.

use std::time::Duration;

use sqlx::Executor;

use crate::infra::postgres::Connection;

/// Upper bound of a call while a large office is written; the final vacuum takes the longest.
pub(crate) const LONG_CALL_MAX: Duration = Duration::from_hours(2);

/// Table that a large office fills.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Table {
    Venues,
    Seats,
    Programs,
    QueueNumbers,
    QueueGates,
    Schedules,
    ScheduleSeats,
    Accounts,
    QueueTokens,
    Wallets,
    PointTransactions,
    HouseEntries,
    Reservations,
    ReservationItems,
    Payments,
    Tickets,
}

impl Table {
    /// All tables, each after the tables that it refers to.
    pub(crate) const ALL: [Self; 16] = [
        Self::Venues,
        Self::Seats,
        Self::Programs,
        Self::QueueNumbers,
        Self::QueueGates,
        Self::Schedules,
        Self::ScheduleSeats,
        Self::Accounts,
        Self::QueueTokens,
        Self::Wallets,
        Self::PointTransactions,
        Self::HouseEntries,
        Self::Reservations,
        Self::ReservationItems,
        Self::Payments,
        Self::Tickets,
    ];

    /// Returns the table's position in [`Self::ALL`].
    pub(crate) fn number(self) -> u8 {
        let place = Self::ALL.iter().position(|table| *table == self);
        place.and_then(|place| u8::try_from(place).ok()).unwrap_or_default()
    }

    fn statement(self) -> &'static str {
        match self {
            Self::Venues => "copy venues (id, name, address) from stdin",
            Self::Seats => {
                "copy seats (id, venue_id, section, row_label, number, x, y) from stdin"
            }
            Self::Programs => {
                "copy programs (id, slug, title, status, on_sale_at, off_sale_at, created_at) from stdin"
            }
            Self::QueueNumbers => "copy queue_numbers (program_id, next_number) from stdin",
            Self::QueueGates => "copy queue_gates (program_id) from stdin",
            Self::Schedules => "copy schedules (id, program_id, venue_id, starts_at) from stdin",
            Self::ScheduleSeats => {
                "copy schedule_seats (id, schedule_id, seat_id, price, status, version) from stdin"
            }
            Self::Accounts => {
                "copy accounts (id, email, name, password_hash, created_at) from stdin"
            }
            Self::QueueTokens => {
                "copy queue_tokens (id, program_id, account_id, queue_number, status, issued_at,
                     admitted_at, stay_ends_at, expires_at, ended_at) from stdin"
            }
            Self::Wallets => "copy wallets (id, account_id, balance, version) from stdin",
            Self::PointTransactions => {
                "copy point_transactions (id, wallet_id, wallet_version, kind, amount, balance_after,
                     reference_id, created_at) from stdin"
            }
            Self::HouseEntries => {
                "copy house_entries (wallet_id, wallet_version, amount, created_at) from stdin"
            }
            Self::Reservations => {
                "copy reservations (id, account_id, schedule_id, program_id, status, total,
                     expires_at, hold_ttl_secs, refund_until, refund_percent, places_max,
                     confirmed_at, settled_at, version, created_at) from stdin"
            }
            Self::ReservationItems => {
                "copy reservation_items (id, reservation_id, schedule_id, schedule_seat_id,
                     unit_price, live) from stdin"
            }
            Self::Payments => {
                "copy payments (id, reservation_id, account_id, amount, status, version, created_at)
                 from stdin"
            }
            Self::Tickets => {
                "copy tickets (id, reservation_item_id, number, item_quantity, account_id, code,
                     status, created_at) from stdin"
            }
        }
    }
}

/// Removes the statement and lock timeouts of this connection, and raises its idle timeout.
pub(crate) async fn take_time(db: &mut Connection) -> Result<(), sqlx::Error> {
    db.execute(
        "set statement_timeout = 0; set lock_timeout = 0; \
         set idle_in_transaction_session_timeout = '1min'",
    )
    .await?;
    Ok(())
}

/// Whether there is a large office. Takes a lock until the end of the transaction, so that of two
/// loads at once the second waits for the first.
pub(crate) async fn is_large(tx: &mut Connection) -> Result<bool, sqlx::Error> {
    sqlx::query!("select pg_advisory_xact_lock(hashtext('stagedoor demo --large'))")
        .fetch_one(&mut *tx)
        .await?;
    sqlx::query_scalar!(r#"select exists (select from programs where slug = 'season-1') as "is!""#)
        .fetch_one(tx)
        .await
}

/// Returns the last midnight UTC, in milliseconds since the epoch.
pub(crate) async fn midnight_ms(tx: &mut Connection) -> Result<i64, sqlx::Error> {
    sqlx::query_scalar!(
        r#"
        select (extract(epoch from date_trunc('day', now(), 'UTC')) * 1000)::bigint as "ms!"
        "#
    )
    .fetch_one(tx)
    .await
}

/// Takes `n` new ids from the sequence of `table`, in rising order.
pub(crate) async fn take_ids(
    tx: &mut Connection,
    table: &str,
    n: u64,
) -> Result<Vec<i64>, sqlx::Error> {
    sqlx::query_scalar!(
        r#"
        select nextval(pg_get_serial_sequence($1, 'id')) as "id!"
        from generate_series(1, $2::bigint)
        "#,
        table,
        i64::try_from(n).unwrap_or(i64::MAX),
    )
    .fetch_all(tx)
    .await
}

/// Writes rows in the text format of COPY, one a line.
pub(crate) async fn insert_rows(
    tx: &mut Connection,
    table: Table,
    rows: &str,
) -> Result<(), sqlx::Error> {
    tx.copy_in(table.statement(), rows.as_bytes()).await
}

/// Updates the planner's statistics and the visibility map of the filled tables.
pub(crate) async fn tidy_up(db: &mut Connection) -> Result<(), sqlx::Error> {
    db.execute(
        "vacuum (analyze) accounts, seats, programs, schedules, schedule_seats, queue_tokens, \
         wallets, point_transactions, house_entries, reservations, reservation_items, payments, tickets",
    )
    .await?;
    Ok(())
}
