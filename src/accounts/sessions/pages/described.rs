//! Facts for the API reference about operations that read a session.

use super::current::{CachedAccount, CurrentAccount, Visitor};
use crate::{
    accounts::AccountError,
    web::{
        error::{KitError, codes},
        path::described::{AllowedBy, Described, Facts},
    },
};

impl Described for CurrentAccount {
    fn describe(facts: &mut Facts) {
        facts.admits(AllowedBy::Session);
        facts.refuses(codes![AccountError::{LoginRequired, SecondFactorRequired}]);
        if facts.is_change {
            facts.refuses(codes![KitError::TooOften]);
        }
    }
}

impl Described for CachedAccount {
    fn describe(facts: &mut Facts) {
        facts.admits(AllowedBy::Session);
        facts.refuses(codes![AccountError::{LoginRequired, SecondFactorRequired}]);
    }
}

impl Described for Visitor {
    fn describe(facts: &mut Facts) {
        facts.admits(AllowedBy::Session);
        facts.admits(AllowedBy::Visitor);
    }
}
