//! Errors of accounts: sign-up, log-in, roles and confirmation.

use crate::{
    accounts::links::model::LinkPurpose,
    infra::limits::RateLimited,
    web::error::{HttpError, Problem},
};

/// Refusal or failure of an account operation. The texts are for logs.
#[derive(Debug, thiserror::Error)]
pub enum AccountError {
    /// The page requires a signed-in account.
    #[error("nobody is signed in")]
    LoginRequired,
    /// The page requires the role staff or admin.
    #[error("the role does not open this page")]
    Forbidden,
    /// An administrator may not lock their own account or change its role.
    #[error("this is the own account")]
    OwnAccount,
    /// Administrators may not act on rehearsal data; only the rehearsal's own clean-up removes
    /// it.
    #[error("a rehearsal made this")]
    Rehearsed,
    /// The account differs from what the form showed.
    #[error("the account was changed meanwhile")]
    Stale,
    /// No such account, or not its password; the answer does not reveal which.
    #[error("the e-mail and the password do not belong together")]
    WrongCredentials,
    /// An administrator locked the account.
    #[error("the account is locked")]
    Locked,
    /// The account was deleted.
    #[error("the account was deleted")]
    Deleted,
    /// Another account has this address.
    #[error("the e-mail address has an account")]
    EmailTaken,
    /// Too many attempts.
    #[error(transparent)]
    RateLimited(#[from] RateLimited),
    /// Too many passwords are waiting to be hashed.
    #[error("too many people: {0}")]
    Crowded(RateLimited),
    /// The signed-in account gave a wrong password when asked to confirm it.
    #[error("the password is not this account's")]
    WrongPassword,
    /// The action requires a recent confirmation of the password.
    #[error("the password was not given lately")]
    ConfirmationRequired,
    /// The action requires a recent code of the second factor.
    #[error("no code was given lately")]
    CodeRequired,
    /// The code is not one of the second factor, or was used.
    #[error("the code is wrong or used")]
    WrongCode,
    /// The log-in whose code was still to come is over: too late, too many tries, or the account
    /// changed.
    #[error("the log-in is over")]
    LogInOver,
    /// An administrator's account needs a second factor before it may do anything.
    #[error("the second factor is not set up")]
    SecondFactorRequired,
    /// The account has a second factor already.
    #[error("the second factor is set")]
    SecondFactorSet,
    /// The account has no second factor.
    #[error("there is no second factor")]
    SecondFactorMissing,
    /// The offered secret was not sealed for this account.
    #[error("the offer of a secret cannot be read")]
    OfferUnreadable,
    /// The link in a mail was used, is too old, or never existed; the answer does not reveal which.
    #[error("the link does not work any more")]
    LinkDead(LinkPurpose),
    /// The link that ends mails was not signed by this deployment, or its account is gone.
    #[error("the link ends no mails")]
    UnsubscriptionDead,
    /// Hashing failed.
    #[error("the password could not be hashed: {0}")]
    Hashing(String),
    /// PostgreSQL failed.
    #[error(transparent)]
    Database(#[from] sqlx::Error),
}

impl HttpError for AccountError {
    fn problem(&self) -> Problem {
        match self {
            Self::LoginRequired => Problem::new(401, "login-required").detour("/login"),
            Self::Forbidden => Problem::new(403, "forbidden"),
            Self::OwnAccount => Problem::new(409, "own-account"),
            Self::Rehearsed => Problem::new(409, "rehearsed"),
            Self::Stale => Problem::new(409, "changed-meanwhile"),
            Self::WrongCredentials => Problem::new(401, "wrong-credentials"),
            Self::Locked => Problem::new(403, "account-locked"),
            Self::Deleted => Problem::new(410, "account-deleted"),
            Self::EmailTaken => Problem::new(409, "email-taken"),
            Self::RateLimited(limited) | Self::Crowded(limited) => limited.problem(),
            Self::WrongPassword => Problem::new(422, "wrong-password"),
            Self::ConfirmationRequired => {
                Problem::new(403, "confirmation-required").detour("/account/confirmation")
            }
            Self::CodeRequired => {
                Problem::new(403, "code-required").detour("/account/confirmation/code")
            }
            Self::WrongCode => Problem::new(422, "wrong-code"),
            Self::LogInOver => Problem::new(410, "log-in-over").recovery("/login"),
            Self::SecondFactorRequired => {
                Problem::new(403, "second-factor-required").detour("/account/second-factor")
            }
            Self::SecondFactorSet => {
                Problem::new(409, "second-factor-set").recovery("/account/second-factor")
            }
            Self::SecondFactorMissing => {
                Problem::new(409, "second-factor-missing").recovery("/account/second-factor")
            }
            Self::OfferUnreadable => {
                Problem::new(422, "offer-unreadable").recovery("/account/second-factor")
            }
            Self::LinkDead(LinkPurpose::Reset) => {
                Problem::new(410, "link-dead").recovery("/password/forgotten")
            }
            Self::LinkDead(LinkPurpose::Confirm) => {
                Problem::new(410, "address-link-dead").recovery("/account")
            }
            Self::UnsubscriptionDead => {
                Problem::new(410, "unsubscription-dead").recovery("/account#mails")
            }
            Self::Hashing(_) => Problem::new(500, "internal"),
            Self::Database(error) => error.problem(),
        }
    }
}
