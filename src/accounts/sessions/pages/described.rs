//! Facts for the API reference about operations that read a session.

use super::current::{CachedAccount, CurrentAccount, Visitor};
use crate::web::described::{AllowedBy, Described, Facts};

impl Described for CurrentAccount {
    fn describe(facts: &mut Facts) {
        facts.admits(AllowedBy::Session);
        facts.refuses("login-required second-factor-required");
        if facts.is_change {
            facts.refuses("rate-limited");
        }
    }
}

impl Described for CachedAccount {
    fn describe(facts: &mut Facts) {
        facts.admits(AllowedBy::Session);
        facts.refuses("login-required second-factor-required");
    }
}

impl Described for Visitor {
    fn describe(facts: &mut Facts) {
        facts.admits(AllowedBy::Session);
        facts.admits(AllowedBy::Visitor);
    }
}
