//! Errors of accounts: sign-up, log-in, roles and confirmation.

use crate::{
    accounts::links::model::LinkPurpose,
    infra::limits::RateLimited,
    web::error::{KitError, problems},
};

/// Page that mails a link which confirms the account's address.
pub const ADDRESS_CONFIRMATION_PATH: &str = "/account/address/confirmation";

problems! {
    /// Refusal or failure of an account operation.
    pub enum AccountError {
        LoginRequired = 401 "login-required".detour("/login"),
        Forbidden = 403 "forbidden",
        /// An administrator may not lock their own account or change its role.
        OwnAccount = 409 "own-account",
        /// Administrators may not act on rehearsal data; only the rehearsal's own clean-up removes
        /// it.
        Rehearsed = 409 "rehearsed",
        Stale => KitError::ChangedMeanwhile,
        /// The account does not exist, or has another password; the answer does not reveal which.
        WrongCredentials = 401 "wrong-credentials",
        Locked = 403 "account-locked",
        Deleted = 410 "account-deleted",
        EmailTaken = 409 "email-taken",
        /// The signed-in account gave a wrong password when asked to confirm it.
        WrongPassword = 422 "wrong-password",
        /// The action requires a recent confirmation of the password.
        ConfirmationRequired = 403 "confirmation-required".detour("/account/confirmation"),
        /// The action requires a recent code of the second factor.
        CodeRequired = 403 "code-required".detour("/account/confirmation/code"),
        /// The code is not one of the second factor, or was used.
        WrongCode = 422 "wrong-code",
        /// The log-in whose code was still to come is over: too late, too many tries, or the account
        /// changed.
        LogInOver = 410 "log-in-over".recovery("/login"),
        /// An administrator's account needs a second factor before it may do anything.
        SecondFactorRequired = 403 "second-factor-required".detour("/account/second-factor"),
        SecondFactorSet = 409 "second-factor-set".recovery("/account/second-factor"),
        SecondFactorMissing = 409 "second-factor-missing".recovery("/account/second-factor"),
        /// The offered secret was not sealed for this account.
        OfferUnreadable = 422 "offer-unreadable".recovery("/account/second-factor"),
        /// The link to choose a new password was used, is too old, or never existed; the answer does not
        /// reveal which.
        ResetLinkDead = 410 "link-dead".recovery("/password/forgotten"),
        /// The link to confirm an address was used, is too old, or never existed.
        AddressLinkDead = 410 "address-link-dead".recovery("/account"),
        /// The link that ends mails was not signed by this deployment, or its account is gone.
        UnsubscriptionDead = 410 "unsubscription-dead".recovery("/account#mails"),
        Hashing(cause: String) => KitError::Internal,
        /// Too many passwords are waiting to be hashed.
        Crowded(limited: RateLimited) => *limited,
    }
    wraps { RateLimited(#[from] RateLimited), Database(#[from] sqlx::Error) }
}

impl AccountError {
    /// Returns the error for a link of `purpose` that does not work any more.
    pub(crate) fn link_dead(purpose: LinkPurpose) -> Self {
        match purpose {
            LinkPurpose::Reset => Self::ResetLinkDead,
            LinkPurpose::Confirm => Self::AddressLinkDead,
        }
    }
}
