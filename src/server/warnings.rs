//! Warnings for an operator at the start: settings that are fine for a trial and wrong in
//! production.

use std::fmt;

use crate::{app::App, demo};

/// Condition that does not belong in production.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Warning {
    /// Accounts whose password is published in the manual.
    DemoLogIns,
    /// Points that cost nothing.
    SimulatedPayment,
    /// Passwords and sessions that travel unencrypted.
    PlainHttp,
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::DemoLogIns => {
                "Demo log-ins exist: everybody who reads the manual can log in as them, and one of \
                 them manages everything. Lock them, or use a database without demo data."
            }
            Self::SimulatedPayment => {
                "Payment is simulated: whoever adds points gets them without paying. Do not sell \
                 anything real."
            }
            Self::PlainHttp => {
                "People reach this instance over plain http, so passwords and sessions can be read \
                 on the way. Put TLS in front of it and set PUBLIC_URL to its https address."
            }
        })
    }
}

/// Lists the warnings that apply to this instance.
pub async fn list_warnings(app: &App) -> Result<Vec<Warning>, sqlx::Error> {
    let found = [
        (demo::has_open_log_ins(&app.db).await?, Warning::DemoLogIns),
        (is_simulated(app), Warning::SimulatedPayment),
        (is_plain(app), Warning::PlainHttp),
    ];
    Ok(found.into_iter().filter_map(|(is_found, warning)| is_found.then_some(warning)).collect())
}

/// Whether points come without money.
fn is_simulated(app: &App) -> bool {
    !app.config.payment.is_for_money()
}

/// Whether the instance serves other machines without https.
fn is_plain(app: &App) -> bool {
    !app.config.is_https() && !app.config.is_for_this_machine()
}
