//! What becomes of a row to lock that another transaction holds.

/// What becomes of rows that another transaction holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum WhenHeld {
    /// They are passed over.
    Skip,
    /// They are waited for, at most `lock_timeout`.
    Wait,
}
