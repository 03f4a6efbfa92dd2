//! Password check, at log-in and at a confirmation.
//!
//! The budgets come first, then the gate, then the comparison; failures go to the security log.

use std::{fmt, net::IpAddr};

use super::{
    budget::LogInBudget,
    device,
    guesses::{AccountKey, Origin},
};
use crate::{
    accounts::{
        error::AccountError,
        model::{AccountId, Credentials},
        password::PasswordGate,
        store::{self, StoredCredentials},
    },
    app::App,
    infra::{
        network::Network,
        security_log::{ClientEvent, SecurityEvent, pseudonym},
    },
    text::email::Email,
};

/// Password that was found right. It may be changed at any moment, so every operation that it opens
/// compares the hash once more, after locking the account's row.
#[derive(Clone)]
pub struct CheckedPassword {
    /// Account that the password belongs to.
    pub account_id: AccountId,
    /// Hash that the password was compared with.
    pub password_hash: String,
    /// Whether the account had a second factor before the comparison.
    pub has_second_factor: bool,
}

impl fmt::Debug for CheckedPassword {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CheckedPassword")
            .field("account_id", &self.account_id)
            .finish_non_exhaustive()
    }
}

/// Sender of a password and the limits that apply to it.
pub struct PasswordCheck<'a> {
    pub app: &'a App,
    pub gate: &'a PasswordGate,
    pub(crate) budget: &'a LogInBudget,
    /// Client's address.
    pub client: IpAddr,
    /// Content of the device cookie; its signature is not checked yet.
    pub device: Option<String>,
}

impl fmt::Debug for PasswordCheck<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PasswordCheck").field("client", &self.client).finish_non_exhaustive()
    }
}

impl PasswordCheck<'_> {
    /// Returns what was found right about `credentials`; logs a wrong password as `failure`.
    pub(crate) async fn check(
        &self,
        credentials: Credentials,
        failure: SecurityEvent,
    ) -> Result<CheckedPassword, AccountError> {
        let Credentials { email, password } = credentials;
        let network = Network::of(self.client);
        let begun = self.budget.begin(self.origin(AccountKey::of(&email))).await;
        let attempt = begun.map_err(|(budget, limited)| {
            self.record(SecurityEvent::LogInThrottled, Some(&email), Some(budget.into()));
            limited
        })?;
        match self.verify(network, &email, password).await {
            Ok(checked) => {
                attempt.succeed().await;
                Ok(checked)
            }
            Err(AccountError::WrongCredentials) => {
                self.record(failure, Some(&email), None);
                Err(AccountError::WrongCredentials)
            }
            Err(refusal) => {
                attempt.withdraw().await;
                match refusal {
                    AccountError::Locked => {
                        self.record(SecurityEvent::LogInLocked, Some(&email), None);
                    }
                    AccountError::Crowded(_) => {
                        self.record(SecurityEvent::LogInThrottled, Some(&email), Some("crowd"));
                    }
                    _ => (),
                }
                Err(refusal)
            }
        }
    }

    /// Returns the origin of an attempt at `account`.
    pub(super) fn origin(&self, account: AccountKey) -> Origin {
        let (app, network) = (self.app, Network::of(self.client));
        let signed = self.device.as_deref();
        let device =
            signed.and_then(|signed| device::read(signed, account, &app.signing_key, app.now()));
        Origin { account, network, device }
    }

    /// Counts text that cannot be an e-mail and password, and returns the refusal.
    pub(crate) fn refuse_nonsense(&self) -> AccountError {
        match self.budget.count_nonsense(Network::of(self.client)) {
            Ok(()) => {
                self.record(SecurityEvent::LogInFailed, None, None);
                AccountError::WrongCredentials
            }
            Err((budget, limited)) => {
                self.record(SecurityEvent::LogInThrottled, None, Some(budget.into()));
                limited.into()
            }
        }
    }

    async fn verify(
        &self,
        network: Network,
        email: &Email,
        password: crate::accounts::model::Password,
    ) -> Result<CheckedPassword, AccountError> {
        let stored = store::find_credentials(&self.app.db, email).await?;
        let hash = stored.as_ref().map(|stored| stored.password_hash.clone());
        let fits = self.gate.verify(network, password, hash).await?;
        match stored.filter(|_| fits) {
            None => Err(AccountError::WrongCredentials),
            Some(stored) if stored.is_locked => Err(AccountError::Locked),
            Some(StoredCredentials { id, password_hash, has_second_factor, .. }) => {
                Ok(CheckedPassword { account_id: id, password_hash, has_second_factor })
            }
        }
    }

    /// Writes an event to the security log.
    pub(super) fn record(
        &self,
        event: SecurityEvent,
        email: Option<&Email>,
        by: Option<&'static str>,
    ) {
        let key = &self.app.signing_key;
        self.app.security_log.record(&ClientEvent {
            event,
            client: self.client,
            account_id: None,
            email_hash: email.map(|email| pseudonym(key, email.as_str())),
            by,
        });
    }
}
