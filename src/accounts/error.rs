//! Why nobody was signed in.

use crate::infra::limits::RateLimited;

/// The text is for logs; `pages.rs` maps each variant to its status and code.
#[derive(Debug, thiserror::Error)]
pub enum AccountError {
    /// The page needs somebody signed in.
    #[error("nobody is signed in")]
    LoginRequired,
    /// The page is for the staff, or for who manages.
    #[error("the role does not open this page")]
    Forbidden,
    /// Nobody locks themselves out, or takes their own role away.
    #[error("this is the own account")]
    OwnAccount,
    /// The management acts on nothing that a rehearsal made: its removal takes it away.
    #[error("a rehearsal made this")]
    Rehearsed,
    /// The account is not as it was shown.
    #[error("the account was changed meanwhile")]
    Stale,
    /// No such account, or not its password: which, is not told.
    #[error("the e-mail and the password do not belong together")]
    WrongCredentials,
    /// The account was locked by the management.
    #[error("the account is locked")]
    Locked,
    /// Another account has this address.
    #[error("the e-mail address has an account")]
    EmailTaken,
    /// Too many attempts.
    #[error(transparent)]
    RateLimited(#[from] RateLimited),
    /// Too many passwords to hash at once.
    #[error("too many people: {0}")]
    Crowded(RateLimited),
    /// Whoever is signed in was asked for their password and did not know it.
    #[error("the password is not this account's")]
    WrongPassword,
    /// What cannot be undone needs the password once more.
    #[error("the password was not given lately")]
    ConfirmationRequired,
    /// Hashing failed.
    #[error("the password could not be hashed: {0}")]
    Hashing(String),
    /// Postgres failed.
    #[error(transparent)]
    Database(#[from] sqlx::Error),
}
