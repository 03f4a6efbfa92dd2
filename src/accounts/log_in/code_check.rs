//! Check of a code of the second factor, under limits on guessing it like the limits of passwords.

use super::{guesses::AccountKey, password_check::PasswordCheck};
use crate::{
    accounts::error::AccountError, infra::security_log::SecurityEvent, text::email::Email,
};

/// Carries out `work`, which compares a code with the second factor of the account `email`, if the
/// budgets allow it. [`AccountError::WrongCode`] counts as a failure; other refusals of `work` do
/// not.
pub(crate) async fn check_code<T>(
    check: &PasswordCheck<'_>,
    email: &Email,
    work: impl Future<Output = Result<T, AccountError>>,
) -> Result<T, AccountError> {
    let begun = check.budget.begin_code(check.origin(AccountKey::of(email))).await;
    let attempt = begun.map_err(|(budget, limited)| {
        check.record(SecurityEvent::LogInThrottled, Some(email), Some(budget.into()));
        limited
    })?;
    match work.await {
        Ok(done) => {
            attempt.succeed().await;
            Ok(done)
        }
        Err(AccountError::WrongCode) => {
            check.record(SecurityEvent::CodeFailed, Some(email), None);
            Err(AccountError::WrongCode)
        }
        Err(refusal) => {
            attempt.withdraw().await;
            Err(refusal)
        }
    }
}
