//! Handling of rows to lock that another transaction has locked.

/// Handling of rows that another transaction has locked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WhenHeld {
    /// They are passed over.
    Skip,
    /// They are waited for, at most `lock_timeout`.
    Wait,
}
