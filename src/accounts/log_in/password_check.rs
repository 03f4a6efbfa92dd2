//! The check of a password, at a log-in and where it is asked for again.
//!
//! The budgets come first, then the gate, then the comparison; what fails is told to the
//! security log.

use std::net::IpAddr;

use super::{
    budget::LogInBudget,
    device,
    guesses::{AccountKey, Origin},
};
use crate::{
    accounts::{
        email::Email,
        error::AccountError,
        model::{AccountId, Credentials},
        password::PasswordGate,
        store,
    },
    app::App,
    infra::{
        network::Network,
        security_log::{ClientEvent, SecurityEvent, pseudonym},
    },
};

/// Whoever sends a password, and what stands before it is looked at.
pub(crate) struct PasswordCheck<'a> {
    pub(crate) app: &'a App,
    pub(crate) gate: &'a PasswordGate,
    pub(crate) budget: &'a LogInBudget,
    /// Where it comes from.
    pub(crate) client: IpAddr,
    /// What the device says of itself, signed by us or not.
    pub(crate) device: Option<String>,
}

impl PasswordCheck<'_> {
    /// The account that `credentials` open; `failure` is what a wrong password is told as.
    pub(crate) async fn check(
        &self,
        credentials: Credentials,
        failure: SecurityEvent,
    ) -> Result<AccountId, AccountError> {
        let Credentials { email, password } = credentials;
        let account = AccountKey::of(&email);
        let (app, network) = (self.app, Network::of(self.client));
        let signed = self.device.as_deref();
        let device =
            signed.and_then(|signed| device::read(signed, account, &app.signing_key, app.now()));
        let begun = self.budget.begin(Origin { account, network, device }).await;
        let attempt = begun.map_err(|(budget, limited)| {
            self.tell(SecurityEvent::LogInThrottled, Some(&email), Some(budget.name()));
            limited
        })?;
        match self.verify(network, &email, password).await {
            Ok(account_id) => {
                attempt.succeed().await;
                Ok(account_id)
            }
            Err(AccountError::WrongCredentials) => {
                self.tell(failure, Some(&email), None);
                Err(AccountError::WrongCredentials)
            }
            Err(refusal) => {
                attempt.withdraw().await;
                match refusal {
                    AccountError::Locked => {
                        self.tell(SecurityEvent::LogInLocked, Some(&email), None)
                    }
                    AccountError::Crowded(_) => {
                        self.tell(SecurityEvent::LogInThrottled, Some(&email), Some("crowd"));
                    }
                    _ => (),
                }
                Err(refusal)
            }
        }
    }

    /// Counts what cannot be anybody's e-mail and password.
    pub(crate) fn refuse_nonsense(&self) -> AccountError {
        match self.budget.count_nonsense(Network::of(self.client)) {
            Ok(()) => {
                self.tell(SecurityEvent::LogInFailed, None, None);
                AccountError::WrongCredentials
            }
            Err((budget, limited)) => {
                self.tell(SecurityEvent::LogInThrottled, None, Some(budget.name()));
                limited.into()
            }
        }
    }

    async fn verify(
        &self,
        network: Network,
        email: &Email,
        password: crate::accounts::model::Password,
    ) -> Result<AccountId, AccountError> {
        let stored = store::find_credentials(&self.app.db, email).await?;
        let hash = stored.as_ref().map(|stored| stored.password_hash.clone());
        let fits = self.gate.verify(network, password, hash).await?;
        match stored.filter(|_| fits) {
            None => Err(AccountError::WrongCredentials),
            Some(stored) if stored.is_locked => Err(AccountError::Locked),
            Some(stored) => Ok(stored.id),
        }
    }

    /// Tells the security log.
    fn tell(&self, event: SecurityEvent, email: Option<&Email>, by: Option<&'static str>) {
        let key = &self.app.signing_key;
        self.app.security_log.tell(&ClientEvent {
            event,
            client: self.client,
            account_id: None,
            email_hash: email.map(|email| pseudonym(key, email.as_str())),
            by,
        });
    }
}
