//! Requirements of an act of a signed-in account beside the session.

use super::current::CurrentAccount;
use crate::accounts::error::AccountError;

impl CurrentAccount {
    /// Refuses unless a code of the second factor was given lately, or the account has none.
    pub fn require_code(&self) -> Result<(), AccountError> {
        if self.lacks_code { Err(AccountError::CodeRequired) } else { Ok(()) }
    }

    /// Refuses unless the password was given lately.
    pub(crate) fn require_password(&self) -> Result<(), AccountError> {
        if self.is_confirmed { Ok(()) } else { Err(AccountError::ConfirmationRequired) }
    }

    /// Refuses unless the password was given lately, and a code of the second factor if the account
    /// has one.
    pub fn require_confirmation(&self) -> Result<(), AccountError> {
        self.require_code()?;
        self.require_password()
    }
}
