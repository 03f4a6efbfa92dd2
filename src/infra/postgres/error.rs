//! What an error of PostgreSQL or of its connection means.

use sqlx::error::DatabaseError;

/// Returns the name of the constraint that refused a write.
pub fn violated_constraint(error: &sqlx::Error) -> Option<&str> {
    error.as_database_error().and_then(DatabaseError::constraint)
}

/// Whether the server gave up waiting for a row lock (`lock_timeout`).
pub fn is_lock_timeout(error: &sqlx::Error) -> bool {
    has_code(error, &["55P03"])
}

/// Whether the database went back to an earlier state and sells nothing until an administrator lets it go on.
pub fn is_set_back(error: &sqlx::Error) -> bool {
    violated_constraint(error) == Some("setbacks_sell_nothing")
}

/// Whether a text held the character with the number 0, which PostgreSQL cannot store. JSON, forms
/// and addresses can carry it.
pub fn is_unstorable(error: &sqlx::Error) -> bool {
    has_code(error, &["22021"])
}

/// Whether the server aborted this transaction to break a deadlock or because it could not
/// serialize it: running it again is safe and likely to succeed.
pub fn is_conflict(error: &sqlx::Error) -> bool {
    has_code(error, &["40001", "40P01"])
}

/// Whether the server takes no writes: it is a standby, to which a proxy or a changed address led
/// this connection.
pub(crate) fn is_read_only(error: &sqlx::Error) -> bool {
    has_code(error, &["25006"])
}

/// Whether PostgreSQL could not be asked at all, as opposed to having refused. A statement or a
/// transaction that ran out of time counts as well, and a standby that was asked to write.
pub fn is_unavailable(error: &sqlx::Error) -> bool {
    match error {
        sqlx::Error::Io(_)
        | sqlx::Error::Tls(_)
        | sqlx::Error::Protocol(_)
        | sqlx::Error::PoolTimedOut
        | sqlx::Error::PoolClosed
        | sqlx::Error::WorkerCrashed => true,
        sqlx::Error::Database(cause) => {
            cause.code().is_some_and(|code| {
                // Connection exceptions, insufficient resources, operator intervention (a shutdown, a
                // cancelled statement), idle in transaction too long.
                ["08", "53", "57"].iter().any(|class| code.starts_with(class)) || code == "25P03"
            }) || is_read_only(error)
        }
        _ => false,
    }
}

/// Whether the connection was cut, as opposed to silent: a call that timed out is not repeated.
pub(crate) fn is_cut_off(error: &sqlx::Error) -> bool {
    match error {
        sqlx::Error::Io(cause) => cause.kind() != std::io::ErrorKind::TimedOut,
        _ => has_code(error, &["57P01", "57P02"]),
    }
}

pub(crate) fn has_code(error: &sqlx::Error, codes: &[&str]) -> bool {
    error
        .as_database_error()
        .and_then(DatabaseError::code)
        .is_some_and(|code| codes.contains(&code.as_ref()))
}
