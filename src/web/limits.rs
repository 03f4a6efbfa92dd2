//! Rate limits of one instance that belong to no feature.

use std::num::NonZeroU32;

use governor::Quota;
use uuid::Uuid;

use crate::{
    config::Config,
    infra::{
        limits::{Limit, refilled_in_ten_seconds},
        network::Network,
    },
};

/// Rehearsal requests a minute from one network: the largest rehearsal needs 40, and guessing a
/// token needs far more.
const REHEARSAL_PER_MINUTE: NonZeroU32 = NonZeroU32::new(120).unwrap();

/// Requests an hour from one network for a link to choose a new password.
const RECOVERY_PER_HOUR: NonZeroU32 = NonZeroU32::new(60).unwrap();

/// Downloads an hour of one account's data.
const PERSONAL_DATA_PER_HOUR: NonZeroU32 = NonZeroU32::new(10).unwrap();

/// Codes a minute that one account tries, and one network: no person types as many, and a guess among
/// 60 random bits needs far more.
const CODES_PER_MINUTE: NonZeroU32 = NonZeroU32::new(20).unwrap();
const CODES_PER_MINUTE_OF_NETWORK: NonZeroU32 = NonZeroU32::new(300).unwrap();

/// Rate limits of one instance that belong to no feature.
#[derive(Debug)]
pub struct Limits {
    /// Sign-ups, by network.
    pub signup: Limit<Network>,
    /// Changes, by account.
    pub account: Limit<Uuid>,
    /// Requests for a link to choose a new password, by network.
    pub recovery: Limit<Network>,
    /// Downloads of a person's data, by account.
    pub personal_data: Limit<Uuid>,
    /// Requests to the rehearsal's provisioning pages, by network.
    pub rehearsal: Limit<Network>,
    /// Codes of programs that are tried, right or wrong, by account.
    pub codes: Limit<Uuid>,
    /// The same by network.
    pub codes_of_network: Limit<Network>,
}

impl Limits {
    /// Builds the limits that `config` sets.
    pub fn new(config: &Config) -> Self {
        Self {
            signup: Limit::new(refilled_in_ten_seconds(config.signup_burst)),
            account: Limit::new(refilled_in_ten_seconds(config.account_burst)),
            recovery: Limit::new(Quota::per_hour(RECOVERY_PER_HOUR)),
            personal_data: Limit::new(Quota::per_hour(PERSONAL_DATA_PER_HOUR)),
            rehearsal: Limit::new(Quota::per_minute(REHEARSAL_PER_MINUTE)),
            codes: Limit::new(Quota::per_minute(CODES_PER_MINUTE)),
            codes_of_network: Limit::new(Quota::per_minute(CODES_PER_MINUTE_OF_NETWORK)),
        }
    }

    /// Forgets keys that are far from their limit, to bound the memory.
    pub fn forget(&self) {
        self.signup.forget();
        self.account.forget();
        self.recovery.forget();
        self.personal_data.forget();
        self.rehearsal.forget();
        self.codes.forget();
        self.codes_of_network.forget();
    }
}
