//! Check that a statement has written the expected number of rows.

use super::error::ReservationError;

/// Fails with `error` unless all locked rows were written; the caller must roll back.
pub(crate) fn expect_all(
    n_expected: usize,
    n_written: impl TryInto<usize>,
    error: ReservationError,
) -> Result<(), ReservationError> {
    if n_written.try_into().ok() == Some(n_expected) { Ok(()) } else { Err(error) }
}
