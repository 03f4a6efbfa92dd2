//! Address of the mail server.

use std::{fmt, str::FromStr};

use lettre::{
    AsyncSmtpTransport, Tokio1Executor,
    transport::smtp::{AsyncSmtpTransportBuilder, Error},
};

/// Address of the mail server, with its password. `Debug` does not show it.
#[derive(Clone)]
pub struct SmtpUrl(String);

impl SmtpUrl {
    /// Returns a builder of connections to the server.
    pub fn transport(&self) -> Result<AsyncSmtpTransportBuilder, Error> {
        AsyncSmtpTransport::<Tokio1Executor>::from_url(&self.0)
    }
}

impl FromStr for SmtpUrl {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let url = Self(text.to_owned());
        url.transport().map(|_| url)
    }
}

impl fmt::Debug for SmtpUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SmtpUrl(..)")
    }
}
