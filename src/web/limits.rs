//! Rate limits of one instance that belong to no feature, and the HTTP side of their error.

use std::num::NonZeroU32;

use actix_web::http::StatusCode;
use governor::Quota;
use uuid::Uuid;

use super::error::HttpError;
use crate::{
    config::Config,
    infra::{
        limits::{Limit, RateLimited, refilled_in_ten_seconds},
        network::Network,
    },
};

/// Rehearsal requests a minute from one network: the largest rehearsal needs 40, and guessing a
/// token needs far more.
const REHEARSAL_PER_MINUTE: NonZeroU32 = NonZeroU32::new(120).unwrap();

impl HttpError for RateLimited {
    fn status(&self) -> StatusCode {
        StatusCode::TOO_MANY_REQUESTS
    }

    fn code(&self) -> &'static str {
        "rate-limited"
    }

    fn retry_after_secs(&self) -> Option<u64> {
        Some(self.retry_after_secs)
    }
}

/// Rate limits of one instance that belong to no feature.
#[derive(Debug)]
pub struct Limits {
    /// Sign-ups, by network.
    pub signup: Limit<Network>,
    /// Changes, by account.
    pub account: Limit<Uuid>,
    /// Requests to the rehearsal's provisioning pages, by network.
    pub rehearsal: Limit<Network>,
}

impl Limits {
    /// Builds the limits that `config` sets.
    pub fn new(config: &Config) -> Self {
        Self {
            signup: Limit::new(refilled_in_ten_seconds(config.signup_burst)),
            account: Limit::new(refilled_in_ten_seconds(config.account_burst)),
            rehearsal: Limit::new(Quota::per_minute(REHEARSAL_PER_MINUTE)),
        }
    }

    /// Forgets keys that are far from their limit, to bound the memory.
    pub fn forget(&self) {
        self.signup.forget();
        self.account.forget();
        self.rehearsal.forget();
    }
}
